package dev.claimstream.agent.devices;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A PCI function in sysfs. Ids are lower-case hexadecimal digits without a prefix.
 *
 * @param classCode six digits: class, subclass, programming interface
 * @param subsystem vendor and device of the board, as {@code vvvv:dddd}
 * @param numaNode empty if the machine has none, which sysfs writes as -1
 * @param pcieRoot PCIe root complex, as {@code pciDDDD:BB}
 * @param driver bound kernel driver
 * @param virtualFunctions number of enabled virtual functions
 * @param physicalFunction physical function of a virtual function
 */
public record PciFunction(
        PciAddress address,
        String vendor,
        String device,
        String classCode,
        Optional<String> subsystem,
        OptionalInt numaNode,
        Optional<String> pcieRoot,
        Optional<String> driver,
        int virtualFunctions,
        Optional<PciAddress> physicalFunction,
        BusState busState,
        DeviceIdentity identity) {

    public enum BusState {
        /** The configuration space is readable. */
        REACHABLE,
        /** The configuration space is unreadable or all ones: the device fell off the bus. */
        LOST,
        /** The device is suspended and is not woken up, or sysfs does not show the configuration space. */
        UNKNOWN
    }

    /** Identity of the device as reported by its kernel driver. */
    public record DeviceIdentity(
            Optional<String> model, Optional<String> uuid, Optional<String> serial, OptionalLong memoryBytes) {
        /** The identity of a device whose kernel driver reports nothing. */
        public static final DeviceIdentity NONE =
                new DeviceIdentity(Optional.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty());
    }
}
