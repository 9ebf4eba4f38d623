package dev.claimstream.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.AuditException;
import dev.claimstream.s3.S3Location.LockMode;
import dev.claimstream.s3.S3Location.ObjectLock;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Locations of archives in object stores, valid and invalid. */
final class S3LocationTest {
    @Test
    void readsEveryParameter() {
        var location = S3Location.of(
                "s3://audit/team/a/?endpoint=http://127.0.0.1:7070&region=eu-1&path-style=false&object-lock=compliance&object-lock-days=30");
        assertThat(location.bucket()).isEqualTo("audit");
        assertThat(location.prefix()).isEqualTo("team/a");
        assertThat(location.endpoint()).contains(URI.create("http://127.0.0.1:7070"));
        assertThat(location.region()).contains("eu-1");
        assertThat(location.isPathStyle()).contains(false);
        assertThat(location.lock()).contains(new ObjectLock(LockMode.COMPLIANCE, Duration.ofDays(30)));
        assertThat(location).hasToString("s3://audit/team/a");
        assertThat(location.key("x/1")).isEqualTo("team/a/x/1");
    }

    @Test
    void leavesOutWhatIsNotNamed() {
        var location = S3Location.of("s3://audit");
        assertThat(location.prefix()).isEmpty();
        assertThat(location.endpoint()).isEmpty();
        assertThat(location.lock()).isEmpty();
        assertThat(location.key("x/1")).isEqualTo("x/1");
        assertThat(location).hasToString("s3://audit");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    s3:///prefix | bucket "" is not a name
                    s3://Audit/prefix | bucket "Audit" is not a name
                    s3://audit?colour=red | parameter "colour" is unknown: use endpoint, object-lock
                    s3://audit?region= | parameter region has no value
                    s3://audit?endpoint=host:9000 | endpoint "host:9000" is not an address
                    s3://audit?endpoint=http://a%20b | endpoint "http://a b" is not an address
                    s3://audit?endpoint=https://key:hidden@s3.example.com | endpoint has a user
                    s3://audit?secret-key=hidden | parameter "secret-key" is unknown
                    s3://audit?path-style=yes | path-style=yes: use true or false
                    s3://audit?object-lock=compliance | object-lock and object-lock-days belong together
                    s3://audit?object-lock=hard&object-lock-days=3 | object-lock=hard: use governance or compliance
                    s3://audit?object-lock=governance&object-lock-days=x | object-lock-days=x is not a number
                    s3://audit?object-lock=governance&object-lock-days=0 | object-lock-days=0: use 1 to 36500
                    """)
    void namesInvalidPart(String text, String reason) {
        assertThatThrownBy(() -> S3Location.of(text))
                .isInstanceOf(AuditException.class)
                .hasMessageStartingWith(text.replaceFirst("[?].*", "") + " is not the location of an archive: ")
                .hasMessageContaining(reason)
                .hasMessageNotContaining("hidden")
                .hasMessageContaining("Use s3://BUCKET/PREFIX");
    }
}
