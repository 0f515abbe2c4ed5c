#include "tumble/page/report.h"

#include <cmath>
#include <cstring>

#include "tumble/page/encode.h"
#include "tumble/page/tolerances.h"

namespace tumble::page {

namespace {

constexpr std::string_view kPartsMark = "<!-- parts -->", kScriptMark = "<script src=\"page.js\"></script>";

// The page may use what is in it, and nothing else: not even a fault of ours fetches something.
constexpr std::string_view kPolicy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; font-src data:; "
    "connect-src data: blob:; base-uri 'none'; form-action 'none'\">\n";

// Doubles with only so many bits that the rest compresses well: those of a float.
std::string rounded(const std::string& bytes) {
  std::string out = bytes;
  for (size_t at = 0; at + sizeof(double) <= out.size(); at += sizeof(double)) {
    double x = 0;
    std::memcpy(&x, out.data() + at, sizeof x);
    const auto single = static_cast<double>(static_cast<float>(x));
    if (std::isfinite(single)) x = single;
    std::memcpy(out.data() + at, &x, sizeof x);
  }
  return out;
}

struct Encoded {
  std::string bytes, encoding;
};

// `words`: the number of 32-bit words in a frame or row.
Encoded encode(const std::string& name, const std::string& bytes, size_t words) {
  const auto begins = [&](const char* kind) { return name.starts_with(kind); };
  if (begins("frames/"))
    return {detail::deflate(detail::shuffle(detail::delta(bytes, words), sizeof(float))),
            "delta:" + std::to_string(words) + " shuffle:4 deflate"};
  if (begins("contacts/"))
    return {detail::deflate(detail::shuffle(rounded(bytes), sizeof(double))), "shuffle:8 deflate"};
  if (begins("reactions/"))
    return {detail::deflate(detail::shuffle(rounded(bytes), sizeof(double))), "shuffle:8 deflate"};
  if (name == "log") return {detail::deflate(detail::shuffle(bytes, sizeof(double))), "shuffle:8 deflate"};
  if (name == "scene.glb")
    return {detail::deflate(detail::shuffle(bytes, sizeof(float))), "shuffle:4 deflate"};
  return {detail::deflate(bytes), "deflate"};
}

std::string element(size_t recording, const std::string& name, const Encoded& encoded) {
  return "<script type=\"application/octet-stream\" id=\"part:" + std::to_string(recording) + "/" + name +
         "\" data-encoding=\"" + encoded.encoding + "\">" + detail::to_base64(encoded.bytes) + "</script>\n";
}

// As text between <script> and </script>: these strings would end it there, or begin a comment. In a script
// they stand in texts, where the backslash changes nothing.
std::string as_inline_script(std::string script) {
  for (const std::string_view fault : {"</script", "</SCRIPT", "<!--"})
    for (size_t at = script.find(fault); at != std::string::npos; at = script.find(fault, at))
      script.insert(at + 1, "\\");
  return script;
}

core::Expected<std::string> make_parts(const Parts& parts, size_t index, size_t words) {
  std::string text;
  for (const std::string& name : parts.names()) {
    const auto bytes = parts.find(name);
    if (!bytes) continue;
    if (!*bytes) return bytes->diagnostics();
    text += element(index, name, encode(name, **bytes, words));
  }
  return text;
}

// The size of the contacts in the page, or nothing if it is above the budget.
core::Expected<bool> contacts_fit(const Parts& parts) {
  size_t size = 0;
  for (size_t block = 0; block < parts.block_count(); ++block) {
    const std::string name = "contacts/" + std::to_string(block);
    const auto bytes = parts.find(name);
    if (!bytes) continue;
    if (!*bytes) return bytes->diagnostics();
    size += encode(name, **bytes, 0).bytes.size() * 4 / 3;
    if (size > kContactsBudget) return false;
  }
  return true;
}

}  // namespace

core::Expected<Report> make_report(const Bundle& bundle, const std::vector<ReportInput>& inputs,
                                   const ReportOptions& options) {
  const size_t parts_at = bundle.html.find(kPartsMark), script_at = bundle.html.find(kScriptMark);
  if (parts_at == std::string::npos || script_at == std::string::npos || script_at < parts_at)
    return core::error_at({"page.html"},
                          "must have " + std::string(kPartsMark) + " and then " + std::string(kScriptMark));
  Report report;
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    PartOptions part_options{.single = true,
                             .velocities = options.velocities,
                             .compare = i == 0 && inputs.size() > 1,
                             .file = inputs[i].file};
    core::Expected<Parts> parts = Parts::create(*inputs[i].recording, *inputs[i].model, part_options);
    if (!parts) return parts.diagnostics();
    if (inputs[i].recording->info().contacts && !options.all_contacts) {
      const core::Expected<bool> fit = contacts_fit(*parts);
      if (!fit) return fit.diagnostics();
      if (!*fit) {
        part_options.contacts = false;
        parts = Parts::create(*inputs[i].recording, *inputs[i].model, part_options);
        if (!parts) return parts.diagnostics();
        report.notes.push_back("contacts are left out of the page: they need more than " +
                               std::to_string(kContactsBudget / kMegabyte) + " MB; --contacts keeps them");
      }
    }
    size_t movers = 0;
    for (const model::Body& body : inputs[i].model->bodies()) movers += body.is_fixed() ? 0 : 1;
    const core::Expected<std::string> elements =
        make_parts(*parts, i, 1 + movers * (options.velocities ? kAllNumbers : kPoseNumbers));
    if (!elements) return elements.diagnostics();
    text += *elements;
  }
  const std::string& html = bundle.html;
  const size_t head_at = html.find("<head>");
  const size_t policy_at = head_at == std::string::npos || head_at > parts_at ? 0 : head_at + 6;
  report.html = html.substr(0, policy_at) + (policy_at > 0 ? "\n" + std::string(kPolicy) : "") +
                html.substr(policy_at, parts_at - policy_at) + text +
                html.substr(parts_at + kPartsMark.size(), script_at - parts_at - kPartsMark.size()) +
                "<script>" + as_inline_script(bundle.script) + "</script>" +
                html.substr(script_at + kScriptMark.size());
  return report;
}

}  // namespace tumble::page
