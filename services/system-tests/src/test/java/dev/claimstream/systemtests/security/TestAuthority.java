package dev.claimstream.systemtests.security;

import dev.claimstream.kafka.security.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An authority of one test run, which signs certificates for loopback; made with keytool of the JDK. */
final class TestAuthority {
    private static final String PASSWORD = "changeit";
    private static final String CA = "ca";
    private static final String LOOPBACK = "san=ip:127.0.0.1,dns:localhost";

    private final Path folder;
    private final Path store;

    private TestAuthority(Path folder) {
        this.folder = folder;
        store = folder.resolve("store.p12");
    }

    /** The authority that was made in this folder. */
    static TestAuthority of(Path folder) {
        return new TestAuthority(folder);
    }

    /** Makes an authority. */
    static TestAuthority in(Path folder) throws IOException, InterruptedException {
        var authority = new TestAuthority(Files.createDirectories(folder));
        authority.keytool("-genkeypair", "-alias", CA, "-dname", "CN=" + folder.getFileName(), "-ext", "bc:c");
        return authority;
    }

    /** Signs a certificate that is valid today. */
    void sign(String name) throws IOException, InterruptedException {
        sign(name, name);
    }

    /** Signs a certificate of this subject under another name of its files. */
    private void sign(String name, String subject) throws IOException, InterruptedException {
        keytool("-genkeypair", "-alias", name, "-dname", "CN=" + subject, "-signer", CA, "-ext", LOOPBACK);
    }

    /** Replaces the files of a certificate and its key by those of a new certificate of the same subject. */
    TlsFiles.ClientIdentity renew(String name) throws IOException, GeneralSecurityException, InterruptedException {
        String renewed = name + "-renewed";
        sign(renewed, name);
        Path key = Files.writeString(folder.resolve(name + ".key"), key(renewed));
        return new TlsFiles.ClientIdentity(Files.writeString(folder.resolve(name + ".pem"), chain(renewed)), key);
    }

    /** Signs a certificate that expired yesterday. */
    void signExpired(String name) throws IOException, InterruptedException {
        keytool(
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-signer",
                CA,
                "-ext",
                LOOPBACK,
                "-startdate",
                "-3d",
                "-validity",
                "2");
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD),
                        Stream.concat(Arrays.stream(arguments), Stream.of("-keyalg", "EC")))
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(command + ": " + output);
        }
    }

    /** PEM file of the authority. */
    Path caFile() throws IOException, GeneralSecurityException {
        return Files.writeString(
                folder.resolve("ca.pem"),
                pem("CERTIFICATE", keys().getCertificate(CA).getEncoded()));
    }

    /** PEM file of a certificate chain. */
    Path certificateFile(String name) throws IOException, GeneralSecurityException {
        return Files.writeString(folder.resolve(name + ".pem"), chain(name));
    }

    /** PEM file of a key. */
    Path keyFile(String name) throws IOException, GeneralSecurityException {
        return Files.writeString(folder.resolve(name + ".key"), key(name));
    }

    /** PEM file of a key and its certificate chain, as brokers read it. */
    Path serverFile(String name) throws IOException, GeneralSecurityException {
        return Files.writeString(folder.resolve(name + ".server.pem"), key(name) + chain(name));
    }

    /** The store of all keys. */
    KeyStore keys() throws IOException, GeneralSecurityException {
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    private String chain(String name) throws IOException, GeneralSecurityException {
        Certificate[] chain = keys().getCertificateChain(name);
        return Arrays.stream(chain).map(TestAuthority::pem).collect(Collectors.joining());
    }

    private String key(String name) throws IOException, GeneralSecurityException {
        return pem("PRIVATE KEY", keys().getKey(name, PASSWORD.toCharArray()).getEncoded());
    }

    private static String pem(Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String type, byte[] content) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(type, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content), type);
    }
}
