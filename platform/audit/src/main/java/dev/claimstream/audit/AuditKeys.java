package dev.claimstream.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/** Reads Ed25519 keys from PEM files, as {@code openssl genpkey -algorithm ed25519} writes them. */
public final class AuditKeys {
    private static final String ALGORITHM = "Ed25519";

    private AuditKeys() {}

    /**
     * Reads a private key.
     *
     * @throws AuditException if the file cannot be read, or is not such a key
     */
    public static PrivateKey privateKey(Path file) {
        byte[] bytes = content(file, "PRIVATE KEY");
        try {
            return KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        } catch (GeneralSecurityException e) {
            throw noKey(file, "openssl genpkey -algorithm ed25519 -out FILE", e);
        }
    }

    /**
     * Reads a public key.
     *
     * @throws AuditException if the file cannot be read, or is not such a key
     */
    public static PublicKey publicKey(Path file) {
        byte[] bytes = content(file, "PUBLIC KEY");
        try {
            return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(bytes));
        } catch (GeneralSecurityException e) {
            throw noKey(file, "openssl pkey -in KEY -pubout -out FILE", e);
        }
    }

    private static byte[] content(Path file, String type) {
        String begin = "-----BEGIN %s-----".formatted(type);
        String end = "-----END %s-----".formatted(type);
        try {
            String text = Files.readString(file);
            int from = text.indexOf(begin);
            int to = text.indexOf(end);
            if (from < 0 || to < from) {
                throw new AuditException(
                        "%s has no line '%s': name a PEM file with an Ed25519 key".formatted(file, begin));
            }
            return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
        } catch (IOException e) {
            throw new AuditException("%s cannot be read: name a readable PEM file".formatted(file), e);
        } catch (IllegalArgumentException e) {
            throw new AuditException("%s is not a PEM file: %s".formatted(file, e.getMessage()), e);
        }
    }

    private static AuditException noKey(Path file, String command, GeneralSecurityException e) {
        return new AuditException("%s is not an Ed25519 key: make one with %s".formatted(file, command), e);
    }
}
