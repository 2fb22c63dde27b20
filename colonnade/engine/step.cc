#include "colonnade/engine/step.h"

namespace colonnade {

void write_step(const Step& step, std::vector<std::byte>& out) {
  out.clear();
  ByteWriter w(out);
  w.put(step.number);
  w.put_all<int32_t>(step.tokens);
  w.put(static_cast<uint64_t>(step.sequences.size()));
  for (const StepSequence& sequence : step.sequences) {
    w.put(sequence.tokens);
    w.put(sequence.first_position);
    w.put_all<int32_t>(sequence.pages);
  }
  w.put(static_cast<uint64_t>(step.rows.size()));
  for (const StepRow& row : step.rows) {
    w.put(row.row);
    w.put(row.request);
    w.put_all<LogitChanges::Bias>(row.changes.bias);
    w.put_all<LogitChanges::Count>(row.changes.counts);
    w.put(row.changes.repetition);
    w.put(row.changes.presence);
    w.put(row.changes.frequency);
  }
  w.put(step.gathers_logits);
}

namespace {

/// No list is longer than the bytes that are left.
template <typename T>
void resize_checked(ByteReader& r, std::vector<T>& list) {
  uint64_t count = 0;
  r.get(count);
  CN_CHECK(count <= r.rest().size(), "step: a list of ", count, " in ", r.rest().size(), " bytes");
  list.resize(count);
}

}  // namespace

void read_step(std::span<const std::byte> bytes, Step& step) {
  ByteReader r(bytes);
  r.get(step.number);
  r.get_all(step.tokens);
  resize_checked(r, step.sequences);
  for (StepSequence& sequence : step.sequences) {
    r.get(sequence.tokens);
    r.get(sequence.first_position);
    r.get_all(sequence.pages);
  }
  resize_checked(r, step.rows);
  for (StepRow& row : step.rows) {
    r.get(row.row);
    r.get(row.request);
    r.get_all(row.changes.bias);
    r.get_all(row.changes.counts);
    r.get(row.changes.repetition);
    r.get(row.changes.presence);
    r.get(row.changes.frequency);
  }
  r.get(step.gathers_logits);
  CN_CHECK(r.rest().empty(), "step ", step.number, ": ", r.rest().size(), " bytes too many");
}

}  // namespace colonnade
