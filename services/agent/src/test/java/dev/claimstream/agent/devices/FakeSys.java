package dev.claimstream.agent.devices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HexFormat;

/** A sysfs tree in a folder: devices below their root complex, and links from the bus. */
public final class FakeSys {
    private final Path folder;

    public FakeSys(Path folder) {
        this.folder = folder;
        createFolder(sys().resolve("bus/pci/devices"));
        createFolder(proc());
    }

    public Path sys() {
        return folder.resolve("sys");
    }

    public Path proc() {
        return folder.resolve("proc");
    }

    /**
     * Adds a PCI function.
     *
     * @param location root complex and bridges, for example {@code pci0000:37/0000:37:01.0}
     * @param ids vendor:device
     * @param classCode six digits
     */
    public Function add(String location, String address, String ids, String classCode) {
        Path real = createFolder(sys().resolve("devices").resolve(location).resolve(address));
        link(sys().resolve("bus/pci/devices").resolve(address), Path.of("../../../devices", location, address));
        String[] parts = ids.split(":", -1);
        return new Function(real)
                .file("vendor", "0x" + parts[0])
                .file("device", "0x" + parts[1])
                .file("class", "0x" + classCode)
                .config(parts[0], parts[1]);
    }

    /** Removes a function. */
    public void remove(String address) {
        try {
            Path link = sys().resolve("bus/pci/devices").resolve(address);
            Path real = link.toRealPath();
            Files.delete(link);
            Files.walkFileTree(real, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(
                        Path directory, @org.jspecify.annotations.Nullable IOException e) throws IOException {
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds the file of NVIDIA's driver about a GPU. */
    public void nvidia(String address, String model, String uuid) {
        write(
                createFolder(proc().resolve("driver/nvidia/gpus").resolve(address))
                        .resolve("information"),
                "Model: \t\t %s\nIRQ:   \t\t 187\nGPU UUID: \t %s\nBus Type: \t PCIe\n".formatted(model, uuid));
    }

    /** A PCI function whose files can be set. */
    public final class Function {
        private final Path real;

        private Function(Path real) {
            this.real = real;
        }

        public Function file(String name, String text) {
            write(real.resolve(name), text + "\n");
            return this;
        }

        public Function numa(int node) {
            return file("numa_node", Integer.toString(node));
        }

        public Function driver(String name) {
            createFolder(sys().resolve("bus/pci/drivers").resolve(name));
            link(real.resolve("driver"), Path.of("../../../../bus/pci/drivers", name));
            return this;
        }

        public Function virtualOf(String address) {
            link(real.resolve("physfn"), Path.of("..", address));
            return this;
        }

        /** Sets the configuration space: vendor and device, low byte first. */
        public Function config(String vendor, String device) {
            byte[] v = HexFormat.of().parseHex(vendor);
            byte[] d = HexFormat.of().parseHex(device);
            try {
                Files.write(real.resolve("config"), new byte[] {v[1], v[0], d[1], d[0], 0, 0, 0, 0});
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return this;
        }
    }

    private static Path createFolder(Path folder) {
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void link(Path link, Path target) {
        try {
            Files.createSymbolicLink(link, target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
