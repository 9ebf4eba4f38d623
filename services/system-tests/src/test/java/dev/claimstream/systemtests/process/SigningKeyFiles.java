package dev.claimstream.systemtests.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;

/**
 * PEM files of a new Ed25519 key pair.
 *
 * @param privateKey path of the file with the private key
 * @param publicKey path of the file with the public key
 */
public record SigningKeyFiles(String privateKey, String publicKey) {
    /** Writes the files of a new key pair; their names start with the given name. */
    public static SigningKeyFiles create(Path folder, String name) throws IOException {
        KeyPair keys = keys();
        return new SigningKeyFiles(
                pem(
                        folder.resolve(name + "-private.pem"),
                        "PRIVATE KEY",
                        keys.getPrivate().getEncoded()),
                pem(
                        folder.resolve(name + "-public.pem"),
                        "PUBLIC KEY",
                        keys.getPublic().getEncoded()));
    }

    private static KeyPair keys() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(Path file, String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder().encodeToString(content);
        return Files.writeString(file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type, text, type))
                .toString();
    }
}
