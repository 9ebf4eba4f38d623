package dev.claimstream.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files of the console page.
 *
 * @param version hash of all files; their addresses contain it
 * @param files by name
 */
record PageAssets(String version, SortedMap<String, byte[]> files) {
    /** The document that loads the others. */
    static final String INDEX = "index.html";

    /** The files in {@code resources/page}. */
    static final List<String> NAMES = List.of(
            INDEX,
            "access.js",
            "alarms.js",
            "cells.js",
            "claim.js",
            "claims.js",
            "cluster.js",
            "device.js",
            "dom.js",
            "events.js",
            "format.js",
            "icon.svg",
            "live.js",
            "main.js",
            "metrics.js",
            "model.js",
            "node.js",
            "overview.js",
            "past.js",
            "plot.js",
            "queue.js",
            "route.js",
            "style.css",
            "table.js",
            "timeline.js",
            "whatif.js");

    private static final int VERSION_LENGTH = 12;

    /** Reads the files of the jar. */
    static PageAssets shipped() {
        var files = new TreeMap<String, byte[]>();
        MessageDigest digest = sha256();
        for (String name : NAMES) {
            byte[] content = read(name);
            digest.update(name.getBytes(StandardCharsets.UTF_8));
            digest.update(content);
            files.put(name, content);
        }
        String version = HexFormat.of().formatHex(digest.digest()).substring(0, VERSION_LENGTH);
        String index =
                new String(content(files, INDEX), StandardCharsets.UTF_8).replace("\"page/", "\"page/" + version + "/");
        files.put(INDEX, index.getBytes(StandardCharsets.UTF_8));
        return new PageAssets(version, files);
    }

    /** Returns the document. Its links contain the version. */
    byte[] index() {
        return content(files, INDEX);
    }

    private static byte[] content(SortedMap<String, byte[]> files, String name) {
        return Objects.requireNonNull(files.get(name), name);
    }

    /** Returns a file of this version, other than the document. */
    Optional<byte[]> find(String itsVersion, String name) {
        return itsVersion.equals(version) && !name.equals(INDEX)
                ? Optional.ofNullable(files.get(name))
                : Optional.empty();
    }

    private static byte[] read(String name) {
        try (InputStream in = PageAssets.class.getResourceAsStream("/page/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the console's jar has no page/" + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
