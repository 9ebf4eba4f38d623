package dev.claimstream.kafka.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Certificates that have signed themselves, in PEM form; made with keytool of the JDK. */
record TestCertificates(Path store) {
    static TestCertificates in(Path folder) {
        return new TestCertificates(folder.resolve("store.p12"));
    }

    String valid(String name) throws IOException, InterruptedException {
        keytool("-genkeypair", "-alias", name, "-dname", "CN=" + name, "-keyalg", "EC");
        return export(name);
    }

    String expired(String name) throws IOException, InterruptedException {
        keytool(
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-keyalg",
                "EC",
                "-startdate",
                "-3d",
                "-validity",
                "2");
        return export(name);
    }

    private String export(String name) throws IOException, InterruptedException {
        return keytool("-exportcert", "-rfc", "-alias", name);
    }

    private String keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-keystore",
                store.toString(),
                "-storepass",
                "changeit"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(command + ": " + output);
        }
        return output;
    }
}
