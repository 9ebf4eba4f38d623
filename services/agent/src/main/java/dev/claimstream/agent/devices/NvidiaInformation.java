package dev.claimstream.agent.devices;

import java.nio.file.Path;
import java.util.Optional;

/** Model and UUID from {@code /proc/driver/nvidia/gpus/ADDRESS/information} of NVIDIA's kernel driver. */
record NvidiaInformation(Optional<String> model, Optional<String> uuid) {
    static NvidiaInformation of(Path proc, PciAddress address) {
        Optional<String> text = TextFiles.read(
                proc.resolve("driver/nvidia/gpus").resolve(address.text()).resolve("information"));
        return new NvidiaInformation(
                text.flatMap(lines -> value(lines, "Model")),
                text.flatMap(lines -> value(lines, "GPU UUID"))
                        .filter(uuid -> !uuid.contains("?"))); // question marks until the first use of the GPU
    }

    private static Optional<String> value(String lines, String name) {
        return lines.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }
}
