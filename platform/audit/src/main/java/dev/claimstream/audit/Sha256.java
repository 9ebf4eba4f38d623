package dev.claimstream.audit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 as hexadecimal digits. */
final class Sha256 {
    private static final int BUFFER_BYTES = 1 << 16;

    private Sha256() {}

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static String of(byte[] bytes) {
        return hex(digest().digest(bytes));
    }

    static String of(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return of(in);
        }
    }

    /** The hash of everything up to the end of a stream. */
    static String of(InputStream in) throws IOException {
        MessageDigest digest = digest();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            digest.update(buffer, 0, length);
        }
        return hex(digest.digest());
    }
}
