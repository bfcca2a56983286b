// SPDX-License-Identifier: Apache-2.0
// A value that is stored outside its owner and copied with it. Flows of other laws then spend only the size of a
// pointer on a law with much state.
#ifndef ECNOMY_LAWS_BOXED_H_
#define ECNOMY_LAWS_BOXED_H_

#include <memory>
#include <utility>

namespace ecnomy {

template <class Value>
class Boxed {
 public:
  explicit Boxed(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
  Boxed(const Boxed& other) : Boxed(*other.value_) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  Value* operator->() noexcept { return value_.get(); }
  const Value* operator->() const noexcept { return value_.get(); }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_BOXED_H_
