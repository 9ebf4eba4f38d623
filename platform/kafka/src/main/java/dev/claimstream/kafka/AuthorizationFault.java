package dev.claimstream.kafka;

import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;

/** The sentence about a permission that Kafka denies: principal, resource and remedy. */
public final class AuthorizationFault {
    private static final int CAUSES_MAX = 20;
    private static final String CONTINUES = "; the service then continues";
    private static final Pattern USERNAME = Pattern.compile("username=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private AuthorizationFault() {}

    /** The sentence, if a denied permission is the cause of the exception; otherwise its message. */
    public static String textOr(Throwable thrown, KafkaConnection kafka) {
        return text(thrown, kafka).orElseGet(() -> String.valueOf(thrown.getMessage()));
    }

    /** Whether a denied permission is the cause of the exception. */
    public static boolean isCauseOf(Throwable thrown) {
        return find(thrown).isPresent();
    }

    /** The sentence about a service that retries; empty if the exception has another cause. */
    public static Optional<String> text(Throwable thrown, KafkaConnection kafka) {
        return denial(thrown, kafka).map(text -> text + CONTINUES);
    }

    /** The sentence about a service or a command; empty if the exception has another cause. */
    public static Optional<String> denial(Throwable thrown, KafkaConnection kafka) {
        return find(thrown)
                .map(fault ->
                        "Kafka (%s) denies %s access to %s: grant it the permission, as 'claimstream topics acls' prints it"
                                .formatted(kafka.bootstrap(), principal(kafka), resource(fault)));
    }

    /**
     * The sentence about a password or token that Kafka rejects; empty if the exception has another cause, such as a failed TLS
     * handshake, whose message says which side rejects which certificate.
     */
    public static Optional<String> rejectedCredentials(Throwable thrown, KafkaConnection kafka) {
        return find(thrown, AuthenticationException.class)
                .filter(fault -> !(fault instanceof SslAuthenticationException))
                .map(fault ->
                        "Kafka (%s) rejects the credentials of %s: if they have changed, change the file of the service too; the next start reads it"
                                .formatted(kafka.bootstrap(), principal(kafka)));
    }

    private static Optional<AuthorizationException> find(Throwable thrown) {
        return find(thrown, AuthorizationException.class);
    }

    private static <T extends Throwable> Optional<T> find(Throwable thrown, Class<T> type) {
        return Stream.iterate(Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .limit(CAUSES_MAX)
                .flatMap(Optional::stream)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    private static String resource(AuthorizationException fault) {
        return switch (fault) {
            case TopicAuthorizationException topics
            when !topics.unauthorizedTopics().isEmpty() ->
                "topic " + String.join(", ", new TreeSet<>(topics.unauthorizedTopics()));
            case GroupAuthorizationException group when group.groupId() != null -> "group " + group.groupId();
            case TransactionalIdAuthorizationException _ -> "its TransactionalIds";
            default -> "a resource (%s)".formatted(fault.getMessage());
        };
    }

    /** The principal as far as the client knows it. Kafka derives that of a certificate by its own rules. */
    private static String principal(KafkaConnection kafka) {
        return Optional.ofNullable(kafka.security().get(SaslConfigs.SASL_JAAS_CONFIG)).map(USERNAME::matcher).stream()
                .filter(Matcher::find)
                .map(found -> "User:" + found.group(1).replaceAll("\\\\(.)", "$1"))
                .findFirst()
                .or(() -> client(kafka))
                .or(() -> certificate(kafka))
                .orElse("this client (without credentials, User:ANONYMOUS)");
    }

    private static Optional<String> client(KafkaConnection kafka) {
        return Optional.ofNullable(kafka.security().get(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_ID))
                .map(id -> "the principal of OAuth client " + id);
    }

    private static Optional<String> certificate(KafkaConnection kafka) {
        return Optional.ofNullable(kafka.security().get("pem.certificate.file"))
                .map(file -> "the principal of certificate " + file);
    }
}
