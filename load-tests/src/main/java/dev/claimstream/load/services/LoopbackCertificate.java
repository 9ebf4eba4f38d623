package dev.claimstream.load.services;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A key and its self-signed certificate for loopback, made with keytool of the JDK.
 *
 * @param store PKCS#12 file with the key
 * @param caFile PEM file with the certificate, which is its own authority
 */
record LoopbackCertificate(Path store, Path caFile) {
    /** The password of the store. */
    static final String PASSWORD = "changeit";

    private static final String NAME = "server";

    static LoopbackCertificate in(Path folder) throws IOException, InterruptedException {
        var made = new LoopbackCertificate(folder.resolve("server.p12"), folder.resolve("ca.crt"));
        made.keytool(
                "-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1,dns:localhost");
        made.keytool("-exportcert", "-rfc", "-file", made.caFile().toString());
        return made;
    }

    private void keytool(String command, String... options) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                command,
                "-alias",
                NAME,
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
        words.addAll(List.of(options));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool %s: %s".formatted(command, output));
        }
    }
}
