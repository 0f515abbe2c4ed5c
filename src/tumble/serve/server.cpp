#include "tumble/serve/server.h"

#include <sys/random.h>
#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstring>
#include <list>

namespace tumble::serve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr size_t kTokenBytes = 16;
constexpr std::chrono::milliseconds kAcceptAgain{100};  // when there is no descriptor left

// Nothing but the page's own scripts and data. No other page may frame it, and browsers do not pass on its
// address, which has the token in it.
constexpr std::string_view kSecurityHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src blob:; font-src data:; connect-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

std::string_view to_view(beast::string_view text) { return {text.data(), text.size()}; }

// 128 random bits as hexadecimal digits; empty if the system has none.
std::string make_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  for (size_t got = 0; got < bytes.size();) {
    const ssize_t n = ::getrandom(bytes.data() + got, bytes.size() - got, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return "";
    got += static_cast<size_t>(n);
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

// Takes the same time wherever the texts differ.
bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

// Whether a Host header names this machine. Its port may be another one: that of a tunnel. A page of another
// site that resolves its name to this machine has that name here.
bool is_this_machine(std::string_view host) {
  const size_t colon = host.rfind(':');
  const std::string_view name = host.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? "" : host.substr(colon + 1);
  const bool digits = std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  return (name == "127.0.0.1" || name == "localhost") && digits &&
         (colon == std::string_view::npos || !port.empty());
}

Answer refusal(int status) { return {"text/plain; charset=utf-8", "", status}; }

}  // namespace

namespace detail {

class Session;

// What all connections share. Everything runs in the thread of Server::run_for.
struct Shared {
  Content content;
  ServerLimits limits;
  std::string token;
  std::list<Session*> sessions = {};  // the oldest first
};

// Answers the requests of one connection, one after the other.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), buffer_(2 * size_t{shared.limits.header_bytes}), shared_(shared) {
    place_ = shared_.sessions.insert(shared_.sessions.end(), this);
  }
  ~Session() { shared_.sessions.erase(place_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() { read(); }
  /// A request of this connection had the token.
  bool is_trusted() const { return trusted_; }
  void close() {
    error_code ignored;
    stream_.socket().close(ignored);
  }

 private:
  void read() {
    parser_.emplace();
    parser_->header_limit(shared_.limits.header_bytes);
    stream_.expires_after(shared_.limits.header);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, size_t) { self->on_read(error); });
  }

  void on_read(error_code error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return answer(refusal(431), false, false);
    // Errors of the parser; all others are those of a connection that is gone or too slow.
    if (error && error.category() == make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message)
      return answer(refusal(400), false, false);
    if (error) return close();
    if (!parser_->is_done()) return answer(refusal(413), false, false);  // a body follows
    const auto& request = parser_->get();
    const bool head = request.method() == http::verb::head;
    Answer reply;
    try {
      reply = reply_to(request);
    } catch (const std::exception&) {
      reply = refusal(500);
    }
    const bool keep = request.keep_alive() && reply.status < 400;
    answer(std::move(reply), head, keep);
  }

  Answer reply_to(const http::request<http::empty_body>& request) {
    if (request.version() != 10 && request.version() != 11) return refusal(400);
    if (request.count(http::field::host) != 1) return refusal(400);
    const std::string_view host = to_view(request[http::field::host]);
    if (!is_this_machine(host)) return refusal(403);
    for (auto [at, end] = request.equal_range(http::field::origin); at != end; ++at)
      if (to_view(at->value()) != "http://" + std::string(host)) return refusal(403);
    if (request.method() != http::verb::get && request.method() != http::verb::head) return refusal(405);
    const std::string_view target = to_view(request.target());
    if (!target.starts_with('/')) return refusal(400);
    const size_t slash = target.find('/', 1);
    if (!is_same_secret(target.substr(1, slash - 1), shared_.token)) return refusal(404);
    trusted_ = true;
    if (slash == std::string_view::npos) return refusal(308);
    std::optional<Answer> found = shared_.content(target.substr(slash + 1));
    return found ? std::move(*found) : refusal(404);
  }

  void answer(Answer reply, bool head, bool keep) {
    const auto reason = http::obsolete_reason(static_cast<http::status>(reply.status));
    if (reply.status != 200 && reply.body.empty())
      reply.body = std::to_string(reply.status) + " " + std::string(reason.data(), reason.size()) + "\n";
    head_ = "HTTP/1.1 " + std::to_string(reply.status) + " " + std::string(reason.data(), reason.size()) +
            "\r\nContent-Type: " + reply.type + "\r\nContent-Length: " + std::to_string(reply.body.size()) +
            "\r\nConnection: " + (keep ? "keep-alive" : "close") + "\r\n";
    if (reply.status == 405) head_ += "Allow: GET, HEAD\r\n";
    if (reply.status == 308) head_ += "Location: /" + shared_.token + "/\r\n";
    head_ += kSecurityHeaders;
    head_ += "\r\n";
    body_ = head ? std::string() : std::move(reply.body);
    written_ = 0;
    keep_ = keep;
    write();
  }

  void write() {
    stream_.expires_after(shared_.limits.write);
    const size_t in_head = std::min(written_, head_.size()), in_body = written_ - in_head;
    const std::array<asio::const_buffer, 2> rest = {
        asio::buffer(head_.data() + in_head, head_.size() - in_head),
        asio::buffer(body_.data() + in_body, body_.size() - in_body)};
    stream_.async_write_some(
        rest, [self = shared_from_this()](error_code error, size_t n) { self->on_write(error, n); });
  }

  void on_write(error_code error, size_t n) {
    if (error) return close();
    written_ += n;
    if (written_ < head_.size() + body_.size()) return write();
    body_ = {};
    if (keep_) return read();
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    drain();
  }

  // Reads what the client still sends, for a while: it would not see the answer if the connection were reset.
  void drain() {
    stream_.expires_after(kDrain);
    stream_.async_read_some(asio::buffer(scratch_), [self = shared_from_this()](error_code error, size_t n) {
      self->drained_ += n;
      if (error || self->drained_ > kMostDrained) return self->close();
      self->drain();
    });
  }

  static constexpr std::chrono::milliseconds kDrain{1000};
  static constexpr size_t kMostDrained = size_t{1} << 20;  // bytes

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  Shared& shared_;
  std::list<Session*>::iterator place_;
  std::string head_, body_;
  std::array<char, 4096> scratch_{};
  size_t written_ = 0, drained_ = 0;  // bytes
  bool keep_ = false, trusted_ = false;
};

}  // namespace detail

struct Server::Internals {
  Internals(Content content, const ServerLimits& limits, std::string token)
      : shared{std::move(content), limits, std::move(token)}, acceptor(context), again(context) {}

  void accept() {
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        again.expires_after(kAcceptAgain);
        again.async_wait([this](error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      // Of too many connections the oldest that never had the token is closed: a flood of others does not
      // lock the page out.
      if (shared.sessions.size() >= shared.limits.connections) {
        const auto oldest =
            std::find_if(shared.sessions.begin(), shared.sessions.end(),
                         [](const detail::Session* session) { return !session->is_trusted(); });
        if (oldest != shared.sessions.end())
          (*oldest)->close();
        else
          socket.close(error);
      }
      if (socket.is_open()) std::make_shared<detail::Session>(std::move(socket), shared)->start();
      accept();
    });
  }

  detail::Shared shared;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer again;
  std::string url;
};

Server::Server(std::unique_ptr<Internals> internals) : internals_(std::move(internals)) {}
Server::~Server() = default;
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

core::Expected<Server> Server::open(uint16_t port, Content content, const ServerLimits& limits) {
  const std::string token = make_token();
  if (token.empty()) return core::error_at({}, "the system has no random numbers for the page's address");
  auto internals = std::make_unique<Internals>(std::move(content), limits, token);
  const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
  error_code error;
  internals->acceptor.open(here.protocol(), error);
  if (!error) internals->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) internals->acceptor.bind(here, error);
  if (!error) internals->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return core::error_at({}, "port " + std::to_string(port) + " of this machine cannot be used: " +
                                  error.message() + "; without --port a free one is chosen");
  const uint16_t chosen = internals->acceptor.local_endpoint(error).port();
  if (error) return core::error_at({}, "the server has no port: " + error.message());
  internals->url = "http://127.0.0.1:" + std::to_string(chosen) + "/" + token + "/";
  internals->accept();
  return Server(std::move(internals));
}

const std::string& Server::url() const { return internals_->url; }

void Server::run_for(std::chrono::milliseconds time) {
  internals_->context.restart();
  internals_->context.run_for(time);
}

}  // namespace tumble::serve
