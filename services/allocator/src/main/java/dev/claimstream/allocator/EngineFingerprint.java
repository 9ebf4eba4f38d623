package dev.claimstream.allocator;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.CellInputReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Computes the fingerprint of the decision engine: processes with the same fingerprint decide alike.
 *
 * <p>It covers the classes of the core, the version of the CEL library and the version of the JDK.
 */
public final class EngineFingerprint {
    private static final List<Class<?>> CODE_ROOTS =
            List.of(Cell.class, ClusterObject.class, CelSelectors.class, CellInputReader.class);

    /** A class of the CEL library; the file name of its archive contains the version. */
    private static final String CEL = "dev/cel/runtime/CelRuntime.class";

    private static final String ARCHIVE = "jar:";
    private static final String IN_ARCHIVE = "!/";

    private static final int DIGITS = 16;

    private EngineFingerprint() {}

    /** The first 16 hexadecimal digits of the SHA-256. */
    public static String hash() {
        MessageDigest digest = sha256();
        CODE_ROOTS.forEach(each -> add(digest, location(each)));
        Optional.ofNullable(EngineFingerprint.class.getClassLoader().getResource(CEL))
                .map(url -> url.getPath().replaceAll(".*/([^/!]+)!.*", "$1"))
                .ifPresent(archive -> digest.update(archive.getBytes(StandardCharsets.UTF_8)));
        digest.update(Runtime.version().toString().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
    }

    /**
     * The archive or folder of a class file. The protection domain is no source: a start-up cache made in another folder leaves it empty.
     */
    private static Path location(Class<?> type) {
        String file = type.getName().replace('.', '/') + ".class";
        URL found = Objects.requireNonNull(type.getClassLoader().getResource(file), file);
        String location = found.toString();
        return Path.of(URI.create(
                location.startsWith(ARCHIVE)
                        ? location.substring(ARCHIVE.length(), location.length() - file.length() - IN_ARCHIVE.length())
                        : location.substring(0, location.length() - file.length())));
    }

    private static void add(MessageDigest digest, Path path) {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                digest.update(Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the code of this program at " + path, e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
