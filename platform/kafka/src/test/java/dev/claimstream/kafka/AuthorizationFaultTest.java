package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.security.KafkaSecurity;
import dev.claimstream.kafka.security.SaslCredentials;
import dev.claimstream.kafka.security.SecretFile;
import dev.claimstream.kafka.security.TlsFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthorizationFaultTest {
    private static final KafkaConnection PLAIN = KafkaConnection.plain("kafka:9092");

    @TempDir
    private Path folder;

    private static KafkaConnection user(String name) throws IOException {
        var credentials = new SaslCredentials.UserPassword("PLAIN", name, new SecretFile(Path.of("password")));
        return new KafkaSecurity(false, TlsFiles.NONE, Optional.of(credentials)).connection("kafka:9093");
    }

    @Test
    void namesUserResourceAndRemedy() throws IOException {
        var denied = new KafkaException("lost", new TopicAuthorizationException(Set.of("b", "a")));
        assertThat(AuthorizationFault.text(denied, user("the \"writer\"")))
                .contains(
                        "Kafka (kafka:9093) denies User:the \"writer\" access to topic a, b: grant it the permission, as 'claimstream topics acls' prints it; the service then continues");
    }

    @Test
    void namesGroupAndTransactionalIds() throws IOException {
        KafkaConnection kafka = user("w");
        assertThat(AuthorizationFault.textOr(GroupAuthorizationException.forGroupId("g"), kafka))
                .contains("denies User:w access to group g: ");
        assertThat(AuthorizationFault.textOr(new TransactionalIdAuthorizationException("x"), kafka))
                .contains("access to its TransactionalIds: ");
        assertThat(AuthorizationFault.textOr(new ClusterAuthorizationException("no"), kafka))
                .contains("access to a resource (no): ");
    }

    @Test
    void namesUserOfRejectedCredentials() throws IOException {
        var rejected = new KafkaException("lost", new SaslAuthenticationException("no"));
        assertThat(AuthorizationFault.rejectedCredentials(rejected, user("w")))
                .get()
                .asString()
                .startsWith("Kafka (kafka:9093) rejects the credentials of User:w: ");
        assertThat(AuthorizationFault.text(rejected, user("w"))).isEmpty();
        assertThat(AuthorizationFault.rejectedCredentials(new KafkaException("lost"), user("w")))
                .isEmpty();
        var handshake = new KafkaException(new SslAuthenticationException("PKIX path building failed"));
        assertThat(AuthorizationFault.rejectedCredentials(handshake, user("w"))).isEmpty();
    }

    @Test
    void namesClientWithoutUser() throws IOException {
        var denied = new TopicAuthorizationException(Set.of("a"));
        assertThat(AuthorizationFault.textOr(denied, PLAIN)).contains("(without credentials, User:ANONYMOUS)");
        Path secret = Files.writeString(folder.resolve("secret"), "s");
        var oauth = new SaslCredentials.OAuthClient(
                URI.create("http://127.0.0.1/token"), "id", new SecretFile(secret), Optional.empty());
        assertThat(AuthorizationFault.textOr(
                        denied, new KafkaSecurity(false, TlsFiles.NONE, Optional.of(oauth)).connection("kafka:9093")))
                .contains("denies the principal of OAuth client id access");
    }

    @Test
    void ignoresOtherExceptions() {
        assertThat(AuthorizationFault.text(new ExecutionException(new KafkaException("x")), PLAIN))
                .isEmpty();
        assertThat(AuthorizationFault.textOr(new KafkaException("x"), PLAIN)).isEqualTo("x");
        assertThat(AuthorizationFault.isCauseOf(new ExecutionException(new ClusterAuthorizationException("c"))))
                .isTrue();
    }
}
