package dev.claimstream.kafka.security;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the TLS engines of a client of Kafka from PEM files, and reads them again when they change.
 *
 * <p>Kafka's own factory keeps the files of the client's start. Kafka creates an engine per connection, so a renewed certificate applies at
 * the next connection. Safe for any thread.
 */
public final class PemSslEngineFactory implements SslEngineFactory {
    static final String CA_FILE = "pem.ca.file";
    static final String CERTIFICATE_FILE = "pem.certificate.file";
    static final String KEY_FILE = "pem.key.file";

    private static final Logger LOG = LoggerFactory.getLogger(PemSslEngineFactory.class);
    private static final String PEM = "PEM";

    private final Map<String, Object> settings = new HashMap<>();
    private @Nullable LoadedFiles loaded;

    /** Created by Kafka, which calls {@link #configure} next. */
    public PemSslEngineFactory() {}

    /** The texts of the files, and the engines that use them. */
    private record LoadedFiles(List<Optional<String>> texts, DefaultSslEngineFactory engines) {}

    @Override
    public synchronized void configure(Map<String, ?> configs) {
        settings.putAll(configs);
        loaded = load(texts());
    }

    /** Under the lock: a change of the files by another thread closes the engines' source. */
    @Override
    public synchronized SSLEngine createClientSslEngine(String peerHost, int peerPort, String endpointIdentification) {
        return engines().createClientSslEngine(peerHost, peerPort, endpointIdentification);
    }

    @Override
    public synchronized SSLEngine createServerSslEngine(String peerHost, int peerPort) {
        return engines().createServerSslEngine(peerHost, peerPort);
    }

    /** The engines of the current files. Files that cannot be used, such as half of a renewal, do not replace usable ones. */
    private DefaultSslEngineFactory engines() {
        LoadedFiles before = loaded();
        try {
            List<Optional<String>> texts = texts();
            if (!texts.equals(before.texts())) {
                loaded = load(texts);
                before.engines().close();
                LOG.atInfo().addKeyValue("files", files()).log("TLS files of Kafka changed; new connections use them");
            }
        } catch (KafkaException | UncheckedIOException e) {
            LOG.atWarn()
                    .addKeyValue("files", files())
                    .addKeyValue("why", e.getMessage())
                    .log("changed TLS files of Kafka cannot be used; connections use the previous ones");
        }
        return loaded().engines();
    }

    private LoadedFiles loaded() {
        LoadedFiles current = loaded;
        if (current == null) {
            throw new IllegalStateException("configure has not been called");
        }
        return current;
    }

    private List<String> files() {
        return Stream.of(CA_FILE, CERTIFICATE_FILE, KEY_FILE)
                .filter(settings::containsKey)
                .map(name -> String.valueOf(settings.get(name)))
                .toList();
    }

    private List<Optional<String>> texts() {
        return Stream.of(CA_FILE, CERTIFICATE_FILE, KEY_FILE)
                .map(name -> Optional.ofNullable(settings.get(name)).map(file -> text(Path.of(file.toString()))))
                .toList();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LoadedFiles load(List<Optional<String>> texts) {
        Map<String, Object> configs = new HashMap<>(settings);
        put(
                configs,
                SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG,
                SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG,
                texts.get(0));
        put(
                configs,
                SslConfigs.SSL_KEYSTORE_TYPE_CONFIG,
                SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG,
                texts.get(1));
        put(configs, SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, SslConfigs.SSL_KEYSTORE_KEY_CONFIG, texts.get(2));
        var engines = new DefaultSslEngineFactory();
        engines.configure(configs);
        return new LoadedFiles(texts, engines);
    }

    private static void put(Map<String, Object> configs, String type, String name, Optional<String> text) {
        text.ifPresent(pem -> {
            configs.put(type, PEM);
            configs.put(name, new Password(pem));
        });
    }

    /** Whether a broker must rebuild the engines: never, because clients do not change their settings. */
    @Override
    public boolean shouldBeRebuilt(Map<String, Object> nextConfigs) {
        return false;
    }

    @Override
    public Set<String> reconfigurableConfigs() {
        return Set.of();
    }

    @Override
    public synchronized KeyStore keystore() {
        return engines().keystore();
    }

    @Override
    public synchronized KeyStore truststore() {
        return engines().truststore();
    }

    @Override
    public synchronized void close() {
        if (loaded != null) {
            loaded.engines().close();
        }
    }
}
