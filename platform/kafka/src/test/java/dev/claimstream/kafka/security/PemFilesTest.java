package dev.claimstream.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files of certificates stop a start. */
final class PemFilesTest {
    @TempDir
    private Path folder = Path.of("");

    private Path bundle(String name, String... certificates) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("", List.of(certificates)));
    }

    @Test
    void expiredAuthorityBesideAValidOneIsNoProblem() throws Exception {
        String valid = TestCertificates.in(folder).valid("valid");
        String expired = TestCertificates.in(folder).expired("expired");
        assertThat(PemFiles.authorityProblem(bundle("both.pem", expired, valid)))
                .isEmpty();
        assertThat(PemFiles.authorityProblem(bundle("expired.pem", expired)))
                .hasValueSatisfying(reason ->
                        assertThat(reason).startsWith("has a certificate that is not valid now (CN=expired, NotAfter"));
        assertThat(PemFiles.authorityProblem(bundle("empty.pem")))
                .hasValueSatisfying(reason -> assertThat(reason).contains("BEGIN CERTIFICATE"));
        assertThat(PemFiles.authorityProblem(folder.resolve("missing.pem")))
                .contains("cannot be read: name a readable file");
    }

    @Test
    void expiredCertificateOfAClientIsAProblem() throws Exception {
        String valid = TestCertificates.in(folder).valid("valid");
        String expired = TestCertificates.in(folder).expired("expired");
        assertThat(PemFiles.certificateProblem(bundle("chain.pem", valid, expired)))
                .hasValueSatisfying(reason -> assertThat(reason).contains("CN=expired"));
    }
}
