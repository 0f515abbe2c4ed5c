// A web server for one page on this machine. It binds 127.0.0.1 alone. A request needs the token, 128 random
// bits that are the first part of the path, and a Host header that names this machine. Only names that the
// content knows are served: no part of a request is ever used as a path of the disk.
//   http://127.0.0.1:PORT/TOKEN/NAME
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tumble/core/expected.h"

namespace tumble::serve {

struct Answer {
  std::string type;  // Content-Type
  std::string body;
  int status = 200;
};

/// The answer to a name, "" for the page itself; nothing if there is no such name.
using Content = std::function<std::optional<Answer>(std::string_view name)>;

struct ServerLimits {
  size_t connections = 64;                 // at the same time
  uint32_t header_bytes = 8192;            // of a request, its first line included
  std::chrono::milliseconds header{5000};  // for a whole header to arrive, and between two requests
  std::chrono::milliseconds write{20000};  // for a client to take any further byte of an answer
};

class Server {
 public:
  /// Binds a port; 0: any that is free.
  static core::Expected<Server> open(uint16_t port, Content content, const ServerLimits& limits = {});
  ~Server();
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;

  /// The address of the page, with the token.
  const std::string& url() const;
  /// Serves for this long.
  void run_for(std::chrono::milliseconds time);

 private:
  struct Internals;
  explicit Server(std::unique_ptr<Internals> internals);
  std::unique_ptr<Internals> internals_;
};

}  // namespace tumble::serve
