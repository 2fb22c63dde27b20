// Element types of plain (not grouped) data.
#pragma once

#include <cstdint>

namespace colonnade {

/// boolean: a byte, 0 or 1.
enum class DType : uint8_t { f32, bf16, f16, i8, u8, i32, i64, boolean, i16, u16, u32, u64, f64 };

/// All of them, for tests and tables.
constexpr DType kDTypes[] = {DType::boolean, DType::i8,  DType::u8,  DType::i16, DType::u16,
                             DType::i32,     DType::u32, DType::i64, DType::u64, DType::bf16,
                             DType::f16,     DType::f32, DType::f64};

/// Bytes of one element.
constexpr int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::i64:
    case DType::u64:
    case DType::f64:
      return 8;
    case DType::f32:
    case DType::i32:
    case DType::u32:
      return 4;
    case DType::bf16:
    case DType::f16:
    case DType::i16:
    case DType::u16:
      return 2;
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return 1;
  }
  return 0;
}

constexpr const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "bool";
    case DType::i8:
      return "i8";
    case DType::u8:
      return "u8";
    case DType::i16:
      return "i16";
    case DType::u16:
      return "u16";
    case DType::i32:
      return "i32";
    case DType::u32:
      return "u32";
    case DType::i64:
      return "i64";
    case DType::u64:
      return "u64";
    case DType::bf16:
      return "bf16";
    case DType::f16:
      return "f16";
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
  }
  return "?";
}

}  // namespace colonnade
