package dev.claimstream.agent.devices;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Device names from the file {@code pci.ids} of the machine, for the vendors of the device table.
 *
 * @see <a href="https://pci-ids.ucw.cz/">The PCI ID Repository</a>
 */
final class PciIds {
    private static final int ID_LENGTH = 4;

    private final Map<String, String> names;

    private PciIds(Map<String, String> names) {
        this.names = Collections.unmodifiableMap(names);
    }

    /** Reads the first readable file; returns no names if none is readable. */
    static PciIds first(List<Path> files, Set<String> vendors) {
        for (Path file : files) {
            try (var reader = reader(file)) {
                return new PciIds(names(reader, vendors));
            } catch (IOException e) {
                // try the next file
            }
        }
        return new PciIds(Map.of());
    }

    private static BufferedReader reader(Path file) throws IOException {
        var lenient = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        return new BufferedReader(new InputStreamReader(Files.newInputStream(file), lenient));
    }

    /**
     * Parses the format: a vendor starts its line, devices follow after one tab, boards after two; classes start with
     * C.
     */
    private static Map<String, String> names(BufferedReader reader, Set<String> vendors) throws IOException {
        Map<String, String> names = new HashMap<>();
        String vendor = "";
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("\t\t") || line.startsWith("#") || line.isBlank()) {
                continue;
            }
            if (!line.startsWith("\t")) {
                vendor = id(line, 0);
            } else if (vendors.contains(vendor) && line.length() > ID_LENGTH + 1) {
                names.put(
                        vendor + ":" + id(line, 1),
                        line.substring(ID_LENGTH + 1).strip());
            }
        }
        return names;
    }

    private static String id(String line, int start) {
        return line.substring(start, Math.min(line.length(), start + ID_LENGTH));
    }

    /** Returns the name of a device: the product name in brackets, if any, else the name of the chip. */
    Optional<String> name(String vendor, String device) {
        return Optional.ofNullable(names.get(vendor + ":" + device)).map(PciIds::product);
    }

    private static String product(String name) {
        int open = name.lastIndexOf('[');
        return open >= 0 && name.endsWith("]") ? name.substring(open + 1, name.length() - 1) : name;
    }

    @Override
    public String toString() {
        return names.keySet().stream().sorted().collect(Collectors.joining(" "));
    }
}
