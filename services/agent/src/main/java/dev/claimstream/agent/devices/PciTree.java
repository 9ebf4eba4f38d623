package dev.claimstream.agent.devices;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Reads the PCI devices below {@code /sys/bus/pci/devices}.
 *
 * @param sys root of sysfs
 * @param proc root of procfs, where NVIDIA's driver reports model and UUID
 * @see <a href="https://docs.kernel.org/PCI/sysfs-pci.html">Accessing PCI device resources through sysfs</a>
 */
public record PciTree(Path sys, Path proc) {
    private static final Pattern ROOT_COMPLEX = Pattern.compile("pci[0-9a-f]{4,}:[0-9a-f]{2}");
    private static final Pattern HEX = Pattern.compile("(?:0x)?([0-9a-f]+)");
    private static final int ID_BYTES = 4;
    private static final int ALL_ONES = 0xff;

    /**
     * Returns all functions, ordered by address. A function that disappears during the read is left out.
     *
     * @throws IOException if the folder of devices exists and cannot be listed
     */
    public List<PciFunction> functions() throws IOException {
        Path devices = sys.resolve("bus/pci/devices");
        List<PciFunction> found = new ArrayList<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(devices)) {
            for (Path link : links) {
                PciAddress.parse(String.valueOf(link.getFileName()))
                        .flatMap(address -> function(address, link))
                        .ifPresent(found::add);
            }
        } catch (NoSuchFileException e) {
            return List.of(); // the machine has no PCI bus
        }
        found.sort(Comparator.comparing(PciFunction::address));
        return found;
    }

    private Optional<PciFunction> function(PciAddress address, Path link) {
        try {
            Path path = link.toRealPath();
            return hex(path, "vendor")
                    .flatMap(vendor -> hex(path, "device")
                            .flatMap(device -> hex(path, "class")
                                    .map(classCode -> function(address, path, vendor, device, classCode))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private PciFunction function(PciAddress address, Path path, String vendor, String device, String classCode) {
        return new PciFunction(
                address,
                vendor,
                device,
                classCode,
                hex(path, "subsystem_vendor")
                        .flatMap(board -> hex(path, "subsystem_device").map(id -> board + ":" + id)),
                number(path.resolve("numa_node")).stream()
                        .filter(node -> node >= 0)
                        .findFirst(),
                pcieRoot(path),
                linkName(path.resolve("driver")),
                number(path.resolve("sriov_numvfs")).orElse(0),
                linkName(path.resolve("physfn")).flatMap(PciAddress::parse),
                busState(path),
                identity(address, path));
    }

    private static Optional<String> hex(Path path, String name) {
        return TextFiles.read(path.resolve(name))
                .map(text -> HEX.matcher(text.toLowerCase(Locale.ROOT)))
                .filter(matcher -> matcher.matches())
                .map(matcher -> matcher.group(1));
    }

    private static OptionalInt number(Path file) {
        return TextFiles.read(file)
                .filter(text -> text.matches("-?[0-9]{1,9}"))
                .map(text -> OptionalInt.of(Integer.parseInt(text)))
                .orElse(OptionalInt.empty());
    }

    /** The device path contains the root complex: {@code devices/pci0000:00/0000:00:01.0/…}. */
    private Optional<String> pcieRoot(Path path) {
        for (Path part : path) {
            if (ROOT_COMPLEX.matcher(part.toString()).matches()) {
                return Optional.of(part.toString());
            }
        }
        return Optional.empty();
    }

    private static Optional<String> linkName(Path link) {
        try {
            return Optional.ofNullable(Files.readSymbolicLink(link).getFileName())
                    .map(Path::toString);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static PciFunction.BusState busState(Path path) {
        boolean sleeps = TextFiles.read(path.resolve("power/runtime_status"))
                .filter("suspended"::equals)
                .isPresent();
        return sleeps ? PciFunction.BusState.UNKNOWN : configuration(path.resolve("config"));
    }

    /** Reads the ids from the configuration space; the file {@code vendor} only has the value of the bus scan. */
    private static PciFunction.BusState configuration(Path config) {
        try (InputStream in = Files.newInputStream(config)) {
            byte[] ids = in.readNBytes(ID_BYTES);
            boolean isLost = ids.length < ID_BYTES
                    || (Byte.toUnsignedInt(ids[0]) == ALL_ONES && Byte.toUnsignedInt(ids[1]) == ALL_ONES);
            return isLost ? PciFunction.BusState.LOST : PciFunction.BusState.REACHABLE;
        } catch (NoSuchFileException | AccessDeniedException e) {
            return PciFunction.BusState.UNKNOWN;
        } catch (IOException e) {
            return PciFunction.BusState.LOST;
        }
    }

    private PciFunction.DeviceIdentity identity(PciAddress address, Path path) {
        var nvidia = NvidiaInformation.of(proc, address);
        return new PciFunction.DeviceIdentity(
                nvidia.model().or(() -> TextFiles.read(path.resolve("product_name"))),
                nvidia.uuid(),
                TextFiles.read(path.resolve("serial_number")),
                memory(path));
    }

    /** The memory size of a GPU; only amdgpu reports it. */
    private static OptionalLong memory(Path path) {
        return TextFiles.read(path.resolve("mem_info_vram_total"))
                .filter(text -> text.matches("[0-9]{1,18}"))
                .map(text -> OptionalLong.of(Long.parseLong(text)))
                .orElse(OptionalLong.empty());
    }
}
