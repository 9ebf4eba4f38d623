package dev.claimstream.agent.devices;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A PCI function as sysfs shows it. Ids are hexadecimal digits in lower case without a prefix.
 *
 * @param classCode six digits: class, subclass, programming interface
 * @param subsystem vendor and device of the board, as {@code vvvv:dddd}
 * @param numaNode absent where the machine has none, which sysfs writes as -1
 * @param pcieRoot the root complex that it hangs on, as {@code pciDDDD:BB}
 * @param driver the kernel driver that is bound to it
 * @param virtualFunctions how many virtual functions it is split into; 0 for one that is not
 * @param physicalFunction of a virtual function: the one that it is a part of
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
        Answer answer,
        Identity identity) {

    /** Whether the function answers to the kernel at present. */
    public enum Answer {
        /** Its configuration space reads as it should. */
        ANSWERS,
        /** Its configuration space cannot be read, or reads as all ones: it fell off the bus. */
        IS_LOST,
        /** It sleeps, and is not woken to be asked; or the tree does not show the configuration space. */
        NOT_ASKED
    }

    /** What its kernel driver says about it. */
    public record Identity(
            Optional<String> model, Optional<String> uuid, Optional<String> serial, OptionalLong memoryBytes) {
        /** Nothing. */
        public static final Identity NONE =
                new Identity(Optional.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty());
    }
}
