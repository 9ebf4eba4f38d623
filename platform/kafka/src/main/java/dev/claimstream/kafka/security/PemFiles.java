package dev.claimstream.kafka.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads PEM files and finds what is wrong with them. */
public final class PemFiles {
    private static final Logger LOG = LoggerFactory.getLogger(PemFiles.class);
    private static final String PKCS8 = "-----BEGIN PRIVATE KEY-----";
    private static final String ANY_KEY = "PRIVATE KEY-----";

    private PemFiles() {}

    /** What is wrong with the certificate chain of a client; empty if all of it can be used now. */
    public static Optional<String> certificateProblem(Path file) {
        return problem(file, expired -> expired.stream().findFirst());
    }

    /**
     * What is wrong with a file of authorities; empty if at least one of them can be used now.
     *
     * <p>A bundle can contain an authority that has expired, beside its successor. Such a one is logged and trusts nothing.
     */
    public static Optional<String> authorityProblem(Path file) {
        return problem(file, expired -> {
            Optional<String> last = expired.stream().reduce((_, next) -> next);
            if (expired.size() < certificates(file).size()) {
                expired.forEach(reason -> LOG.atWarn()
                        .addKeyValue("file", file)
                        .addKeyValue("why", reason)
                        .log("a certificate authority is not valid now; the others of the file are used"));
                return Optional.empty();
            }
            return last;
        });
    }

    /** Decides which of the certificates that are not valid now make a file unusable. */
    private interface ValidityRule {
        Optional<String> problem(List<String> expired) throws IOException, CertificateException;
    }

    private static Optional<String> problem(Path file, ValidityRule rule) {
        try {
            List<String> expired = certificates(file).stream()
                    .flatMap(each -> validityProblem(each).stream())
                    .toList();
            return rule.problem(expired).map("has a certificate that is not valid now (%s): renew it"::formatted);
        } catch (CertificateException e) {
            return Optional.of("has no certificates in PEM form: name a file with '-----BEGIN CERTIFICATE-----'");
        } catch (IOException e) {
            return Optional.of("cannot be read: name a readable file");
        }
    }

    private static Optional<String> validityProblem(X509Certificate certificate) {
        try {
            certificate.checkValidity();
            return Optional.empty();
        } catch (CertificateExpiredException | CertificateNotYetValidException e) {
            return Optional.of("%s, %s".formatted(certificate.getSubjectX500Principal(), e.getMessage()));
        }
    }

    /** What is wrong with a file of a private key; empty if it has the form that Kafka's clients read. */
    public static Optional<String> keyProblem(Path file) {
        try {
            String text = Files.readString(file);
            if (text.contains(PKCS8)) {
                return Optional.empty();
            }
            return Optional.of(
                    text.contains(ANY_KEY)
                            ? "is not an unencrypted PKCS#8 key: convert it with 'openssl pkcs8 -topk8 -nocrypt'"
                            : "has no private key in PEM form: name a file with '%s'".formatted(PKCS8));
        } catch (IOException e) {
            return Optional.of("cannot be read: name a readable file");
        }
    }

    /** A TLS context that trusts the certificates of a file only. */
    public static SSLContext trusting(Path file) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        for (X509Certificate certificate : certificates(file)) {
            trusted.setCertificateEntry("ca-" + trusted.size(), certificate);
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private static List<X509Certificate> certificates(Path file) throws IOException, CertificateException {
        try (var content = Files.newInputStream(file)) {
            List<X509Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(content).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            if (all.isEmpty()) {
                throw new CertificateException("no certificate");
            }
            return all;
        }
    }
}
