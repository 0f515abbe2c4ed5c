// What a browser sees is in tests/cli/view_server_test.py. Here the server runs under the sanitizers, on
// bytes of any kind and with short time limits.
#include "tumble/serve/server.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <stdexcept>

namespace serve = tumble::serve;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kMoment{20};

std::optional<serve::Answer> content(std::string_view name) {
  if (name.empty()) return serve::Answer{"text/plain", "the page"};
  if (name == "large") return serve::Answer{"text/plain", std::string(size_t{1} << 24, 'x')};
  if (name == "broken") throw std::runtime_error("out of memory");
  return std::nullopt;
}

serve::Server open(const serve::ServerLimits& limits = {}) {
  auto server = serve::Server::open(0, content, limits);
  REQUIRE(server);
  return std::move(server).value();
}

// "http://127.0.0.1:PORT/TOKEN/"
int port_of(const serve::Server& server) { return std::stoi(server.url().substr(17)); }
std::string path_of(const serve::Server& server) { return server.url().substr(server.url().find('/', 7)); }

class Client {
 public:
  explicit Client(const serve::Server& server) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_of(server)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  void end() const { ::shutdown(socket_, SHUT_WR); }
  /// What has come so far. `closed`: the server has closed the connection.
  std::string receive() {
    std::string all;
    char block[4096];
    for (ssize_t n = 0; (n = ::recv(socket_, block, sizeof block, 0)) != 0;) {
      if (n < 0) {
        closed_ = errno != EAGAIN;
        return all;
      }
      all.append(block, static_cast<size_t>(n));
    }
    closed_ = true;
    return all;
  }
  bool is_closed() {
    receive();
    return closed_;
  }

 private:
  int socket_;
  bool closed_ = false;
};

std::string request(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

std::string answer_of(serve::Server& server, const std::string& bytes) {
  Client client(server);
  server.run_for(kMoment);
  client.send(bytes);
  server.run_for(kMoment);
  return client.receive();
}

}  // namespace

TEST_CASE("a page is served, and an exception while it is made is an error of this answer alone") {
  serve::Server server = open();
  CHECK(answer_of(server, request(path_of(server))).ends_with("\r\n\r\nthe page"));
  CHECK(answer_of(server, request(path_of(server) + "broken")).starts_with("HTTP/1.1 500 "));
  CHECK(answer_of(server, request(path_of(server) + "none")).starts_with("HTTP/1.1 404 "));
  CHECK(answer_of(server, request("/")).starts_with("HTTP/1.1 404 "));
  CHECK(answer_of(server, request(path_of(server))).ends_with("the page"));
}

TEST_CASE("clients that are slow to ask or to take an answer are dropped") {
  serve::Server server = open({.header = milliseconds(50), .write = milliseconds(50)});
  Client silent(server), slow(server), deaf(server);
  server.run_for(kMoment);
  slow.send("GET / HT");
  deaf.send(request(path_of(server) + "large"));
  server.run_for(milliseconds(400));
  CHECK(silent.is_closed());
  CHECK(slow.is_closed());
  std::string got = deaf.receive();
  server.run_for(milliseconds(400));
  got += deaf.receive();
  CHECK(deaf.is_closed());
  CHECK(got.size() < size_t{1} << 24);
}

TEST_CASE("of too many connections the oldest without a token is closed") {
  serve::Server server = open({.connections = 3});
  Client good(server);
  server.run_for(kMoment);
  good.send(request(path_of(server)));
  server.run_for(kMoment);
  CHECK(good.receive().ends_with("the page"));
  Client first(server), second(server), third(server);
  server.run_for(kMoment);
  CHECK(first.is_closed());
  CHECK_FALSE(second.is_closed());
  CHECK_FALSE(third.is_closed());
  good.send(request(path_of(server)));
  server.run_for(kMoment);
  CHECK(good.receive().ends_with("the page"));
}

TEST_CASE("no bytes of a client do harm, and none without the token get the page") {
  serve::Server server = open({.header = milliseconds(30)});
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::string start = "GET /" + std::string(32, '0') +
                            "/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                            "Transfer-Encoding: chunked\r\nOrigin: http://localhost\r\n\r\n0\r\n\r\n";
  for (int i = 0; i < 300; ++i) {
    std::string bytes = start;
    for (size_t n = below(8); n > 0; --n) {
      const size_t at = below(bytes.size());
      switch (below(4)) {
        case 0:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 1:
          bytes.erase(at, below(20));
          break;
        case 2:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(60)));
          break;
        default:
          bytes.insert(at, std::string(below(300), static_cast<char>(below(256))));
      }
      if (bytes.empty()) bytes = "x";
    }
    Client client(server);
    server.run_for(milliseconds(1));
    client.send(bytes);
    if (below(2) == 0) client.end();
    server.run_for(milliseconds(1));
    CHECK(client.receive().find("the page") == std::string::npos);
  }
  CHECK(answer_of(server, request(path_of(server))).ends_with("the page"));
}

TEST_CASE("a server may end with connections open, and a taken port is an error") {
  auto server = std::make_unique<serve::Server>(open());
  Client idle(*server), busy(*server);
  server->run_for(kMoment);
  busy.send(request(path_of(*server) + "large"));
  server->run_for(kMoment);
  const auto same = serve::Server::open(static_cast<uint16_t>(port_of(*server)), content);
  REQUIRE_FALSE(same);
  CHECK(same.diagnostics().front().message.find("cannot be used") != std::string::npos);
  CHECK(open().url() != server->url());
  server.reset();
  CHECK(idle.is_closed());
}
