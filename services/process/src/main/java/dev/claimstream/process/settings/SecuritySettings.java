package dev.claimstream.process.settings;

import dev.claimstream.process.settings.Setting.SettingChange;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The settings of encryption and authentication, which every service reads. */
final class SecuritySettings {
    private static final Set<ServiceName> EVERY = EnumSet.allOf(ServiceName.class);
    private static final SettingType FILE = SettingType.path("file");
    private static final SettingType NAME = SettingType.name("text");

    private SecuritySettings() {}

    static List<Setting> all() {
        return List.of(
                of(
                                "claimstream.kafka.security.protocol",
                                SettingType.oneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
                                "Whether connections to Kafka use TLS (`SSL`) and SASL.")
                        .withDefault("PLAINTEXT"),
                file(
                        "claimstream.kafka.tls.ca-file",
                        "PEM file of the authorities that sign the certificates of the brokers. Default: those of the JVM."),
                file(
                        "claimstream.kafka.tls.certificate-file",
                        "PEM file of the client's certificate chain, for brokers that ask for one."),
                file("claimstream.kafka.tls.key-file", "PEM file of the client's key: PKCS#8, not encrypted."),
                of(
                        "claimstream.kafka.sasl.mechanism",
                        SettingType.oneOf("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN", "OAUTHBEARER"),
                        "How a client authenticates by SASL."),
                of("claimstream.kafka.sasl.username", NAME, "User of `SCRAM` and `PLAIN`."),
                file("claimstream.kafka.sasl.password-file", "File of the user's password."),
                of(
                        "claimstream.kafka.sasl.oauth.token-endpoint",
                        SettingType.httpUrl("https://login/oauth2/token"),
                        "Token endpoint of `OAUTHBEARER`, asked with the grant of client credentials. Its certificate is checked"
                                + " with the authorities of the JVM."),
                of("claimstream.kafka.sasl.oauth.client-id", NAME, "Client id of `OAUTHBEARER`."),
                of(
                        "claimstream.kafka.sasl.oauth.client-secret-file",
                        FILE,
                        "File of the client's secret. A changed secret needs a restart."),
                of("claimstream.kafka.sasl.oauth.scope", NAME, "Scope of the token."),
                of("claimstream.registry.username", NAME, "User of the schema registry, for basic authentication."),
                file("claimstream.registry.password-file", "File of the user's password."),
                file("claimstream.registry.token-file", "File of a bearer token, instead of user and password."),
                of(
                        "claimstream.registry.ca-file",
                        FILE,
                        "PEM file of the authorities that sign the certificate of the schema registry. Default: those of the JVM."
                                + " A changed file needs a restart."),
                of(
                                "claimstream.registry.register",
                                SettingType.flag(),
                                "Whether the service registers its schemas. `false`: it only looks up their ids, and needs no"
                                        + " permission to write; `claimstream topics --register` registers them.")
                        .withDefault("true"));
    }

    private static Setting of(String name, SettingType type, String meaning) {
        return Setting.of(name, type, EVERY, meaning);
    }

    private static Setting file(String name, String meaning) {
        return of(name, FILE, meaning).changedBy(SettingChange.FILE_RELOAD);
    }
}
