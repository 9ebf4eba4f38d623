package dev.claimstream.kafka.security;

import dev.claimstream.kafka.KafkaConnection;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.internals.BrokerSecurityConfigs;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.oauthbearer.ClientCredentialsJwtRetriever;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;

/**
 * Encryption and authentication of the connections to Kafka.
 *
 * @param isEncrypted whether connections use TLS
 * @param tls files of TLS; unused without encryption
 * @param sasl credentials; empty: no SASL
 */
public record KafkaSecurity(boolean isEncrypted, TlsFiles tls, Optional<SaslCredentials> sasl) {
    /** Neither TLS nor SASL. */
    public static final KafkaSecurity NONE = new KafkaSecurity(false, TlsFiles.NONE, Optional.empty());

    /**
     * A connection with this security. It permits Kafka's clients to send requests to the token endpoint, which they otherwise reject.
     *
     * @throws IOException if the secret of an OAuth client cannot be read
     */
    public KafkaConnection connection(String bootstrap) throws IOException {
        SortedMap<String, String> properties = new TreeMap<>();
        SecurityProtocol protocol = protocol();
        if (protocol != SecurityProtocol.PLAINTEXT) {
            properties.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, protocol.name);
        }
        if (isEncrypted) {
            putTls(properties);
        }
        if (sasl.isPresent()) {
            putSasl(properties, sasl.get());
        }
        return KafkaConnection.secured(bootstrap, properties);
    }

    /** Without a timeout, a token endpoint that does not answer would block the start. */
    private static final String TOKEN_TIMEOUT_MS = "5000";

    private SecurityProtocol protocol() {
        if (sasl.isPresent()) {
            return isEncrypted ? SecurityProtocol.SASL_SSL : SecurityProtocol.SASL_PLAINTEXT;
        }
        return isEncrypted ? SecurityProtocol.SSL : SecurityProtocol.PLAINTEXT;
    }

    private void putTls(SortedMap<String, String> properties) {
        properties.put(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, PemSslEngineFactory.class.getName());
        tls.ca().ifPresent(file -> properties.put(PemSslEngineFactory.CA_FILE, file.toString()));
        tls.identity().ifPresent(identity -> {
            properties.put(
                    PemSslEngineFactory.CERTIFICATE_FILE, identity.certificate().toString());
            properties.put(PemSslEngineFactory.KEY_FILE, identity.key().toString());
        });
    }

    private static void putSasl(SortedMap<String, String> properties, SaslCredentials credentials) throws IOException {
        switch (credentials) {
            case SaslCredentials.UserPassword user -> putUser(properties, user);
            case SaslCredentials.OAuthClient client -> putOAuth(properties, client);
        }
    }

    private static void putUser(SortedMap<String, String> properties, SaslCredentials.UserPassword user) {
        Class<?> module = user.mechanism().equals("PLAIN") ? PlainLoginModule.class : ScramLoginModule.class;
        properties.put(SaslConfigs.SASL_MECHANISM, user.mechanism());
        properties.put(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS, FileCredentials.class.getName());
        properties.put(
                SaslConfigs.SASL_JAAS_CONFIG,
                "%s required %s=%s %s=%s;"
                        .formatted(
                                module.getName(),
                                FileCredentials.USERNAME,
                                quoted(user.username()),
                                FileCredentials.PASSWORD_FILE,
                                quoted(user.password().path().toString())));
    }

    private static void putOAuth(SortedMap<String, String> properties, SaslCredentials.OAuthClient client)
            throws IOException {
        String endpoint = client.tokenEndpoint().toString();
        permit(endpoint);
        properties.put(SaslConfigs.SASL_MECHANISM, "OAUTHBEARER");
        properties.put(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, OAuthBearerLoginCallbackHandler.class.getName());
        properties.put(SaslConfigs.SASL_OAUTHBEARER_JWT_RETRIEVER_CLASS, ClientCredentialsJwtRetriever.class.getName());
        properties.put(SaslConfigs.SASL_JAAS_CONFIG, OAuthBearerLoginModule.class.getName() + " required;");
        properties.put(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, endpoint);
        properties.put(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_ID, client.clientId());
        properties.put(
                SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_SECRET,
                client.clientSecret().read());
        properties.put(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, TOKEN_TIMEOUT_MS);
        properties.put(SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS, TOKEN_TIMEOUT_MS);
        client.scope().ifPresent(scope -> properties.put(SaslConfigs.SASL_OAUTHBEARER_SCOPE, scope));
    }

    /** Permits requests to a URL, in addition to those that are permitted already. */
    private static synchronized void permit(String url) {
        String name = BrokerSecurityConfigs.ALLOWED_SASL_OAUTHBEARER_URLS_CONFIG;
        Set<String> urls =
                new LinkedHashSet<>(List.of(System.getProperty(name, url).split(",", -1)));
        urls.add(url);
        System.setProperty(name, String.join(",", urls));
    }

    /** A value of a JAAS configuration. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
