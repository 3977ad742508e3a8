//===-- ScalerOnDevice.h - The record of a scaler on a device ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a scaler is in one of two places, and the other one is a copy or
// out of date. Steps on a device read and write the record there and leave the
// host behind; whoever asks on the host has the record copied back, once, and
// what the host changes goes to the device with the next step. So steps follow
// one another without a wait, and a log that wants the scale pays for one.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SCALER_SCALERONDEVICE_H
#define AMP_RT_SRC_SCALER_SCALERONDEVICE_H

#include "amp-rt/Scaler.h"

#include "Device/Device.h"

namespace amp::rt {

class ScalerOnDevice {
public:
  ScalerOnDevice() = default;
  ScalerOnDevice(const ScalerOnDevice &) = delete;
  ScalerOnDevice &operator=(const ScalerOnDevice &) = delete;
  /// Gives the memory back; a device that is closed has none of it any more.
  ~ScalerOnDevice();

  /// The state is the device's, and the host's is of an earlier step.
  bool isAhead() const { return place == Place::Device; }

  /// Copies the record back and waits for it. Only where the device is ahead.
  AmpRtStatus fetch(const char *call, AmpRtScalerRecord &record);

  /// A program has written the record.
  void goAhead() { place = Place::Device; }

  /// The host has taken that over.
  void meet() { place = Place::Both; }

  /// The host has changed the state, or is about to.
  void leaveBehind() { place = Place::Host; }

  /// The two are the same.
  bool isCurrentOn(const AmpRtDevice &other) const {
    return device == &other && place != Place::Host;
  }

  /// Copies the host's record to the device and waits until it is there.
  AmpRtStatus send(const char *call, AmpRtDevice &target,
                   const AmpRtScalerRecord &record);

  /// Copies on the device, from the record to the program and back.
  AmpRtStatus read(const char *call, void *target);
  AmpRtStatus write(const char *call, const void *source);

  /// Where graphs find the record.
  const void *address() const { return memory; }

private:
  /// Memory on `target`, and none on another device.
  AmpRtStatus settle(const char *call, AmpRtDevice &target);

  enum class Place {
    Host,   ///< the device's record is out of date, or there is none
    Both,   ///< the same
    Device, ///< the host's state is out of date
  };
  Place place = Place::Host;
  /// Of a copy, which may be done when the call that asked for it has failed.
  AmpRtScalerRecord onItsWay = {};
  /// With memory there, or null.
  AmpRtDevice *device = nullptr;
  void *memory = nullptr;
};

} // namespace amp::rt

#endif // AMP_RT_SRC_SCALER_SCALERONDEVICE_H
