package dev.claimstream.process;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Logs;
import dev.claimstream.process.http.HttpLimits;
import dev.claimstream.process.settings.InvalidSettingsException;
import dev.claimstream.process.settings.ServiceName;
import dev.claimstream.process.settings.SettingsContext;
import dev.claimstream.process.settings.SettingsReload;
import io.micronaut.context.ApplicationContext;
import io.micronaut.logging.LogLevel;
import io.micronaut.logging.impl.LogbackLoggingSystem;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one service as a separate process, even if other services are on the class path.
 *
 * <p>{@link SettingsContext} reads and checks the settings. A termination signal closes the service and ends the process with code 0.
 */
public final class ServiceProcess {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceProcess.class);
    private static final String LOG_LEVEL = "claimstream.log.level";
    private static final String ROOT_LOGGER = "ROOT";
    private static final String OWN_PACKAGE = "dev.claimstream.";
    private static final Duration POLL_EVERY = Duration.ofMillis(100);
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(20);
    private static final int STOPPED = 0;
    private static final int FAILED = 1;

    private final String service;
    private final Map<String, Object> defaults = new HashMap<>();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    /** A running service. */
    public interface ServiceHandle {
        /** The failure after which the service cannot continue; empty while it works. */
        Optional<String> failure();

        /** Whether the service has finished its work. */
        default boolean isDone() {
            return false;
        }
    }

    /** Creates the beans of a service in addition to the connections, after the settings are read. */
    public interface Beans {
        /**
         * The beans, one per type.
         *
         * @throws IllegalArgumentException if a setting is invalid; the message names the setting, its value and the remedy
         */
        List<Object> of(ApplicationContext settings, KafkaConnection kafka);
    }

    private ServiceProcess(String service) {
        this.service = service;
        Arrays.stream(ServiceName.values())
                .map(ServiceName::text)
                .filter(each -> !each.equals(service))
                .forEach(each -> defaults.put("claimstream." + each + ".enabled", false));
    }

    /** The process of a service; its name is the prefix of the service's settings. */
    public static ServiceProcess of(String service) {
        return new ServiceProcess(service);
    }

    /** Sets a default value of a setting. */
    public ServiceProcess with(String setting, Object value) {
        defaults.put(setting, value);
        return this;
    }

    /**
     * Runs the service until a termination signal, its end or its failure.
     *
     * @param start starts the service after all connections are created
     * @return the exit code: 1 after an invalid setting, with one line on standard error, or after a failure; otherwise 0
     */
    public int run(Beans beans, Function<ApplicationContext, ServiceHandle> start) {
        Logs.configure();
        HttpLimits.apply();
        Thread.setDefaultUncaughtExceptionHandler(this::haltOnError);
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopBySignal, service + "-stop"));
        try {
            return runInContext(beans, start);
        } finally {
            closed.countDown();
        }
    }

    private int runInContext(Beans beans, Function<ApplicationContext, ServiceHandle> start) {
        try (var context = SettingsContext.ofService(ServiceName.of(service), defaults)) {
            var connections = new Connections(context.getEnvironment());
            KafkaConnection kafka = connections.kafka(connections.bootstrap().orElseThrow());
            if (!new BrokerNames(kafka.bootstrap()).await(context.getEnvironment(), stop)) {
                return STOPPED;
            }
            URI registryUrl = connections.registryUrl().orElseThrow();
            var registry = new RestRegistry(connections.registry(registryUrl));
            connections.check(kafka, registry, registryUrl);
            beans.of(context, kafka).forEach(context::registerSingleton);
            context.registerSingleton(kafka);
            context.registerSingleton(registry);
            context.start();
            context.getProperty(LOG_LEVEL, String.class)
                    .ifPresent(level -> applySetting(context, LOG_LEVEL, Optional.of(level)));
            context.getBean(Health.class).register("registry", () -> Connections.condition(registry, registryUrl));
            SettingsReload reload =
                    SettingsReload.start(context.getEnvironment(), (name, value) -> applySetting(context, name, value));
            try {
                return awaitEnd(start.apply(context));
            } finally {
                reload.close();
            }
        } catch (InvalidSettingsException e) {
            e.problems().forEach(each -> System.err.println("claimstream %s: %s".formatted(service, each)));
            return FAILED;
        } catch (RuntimeException e) {
            System.err.println("claimstream %s: %s".formatted(service, reason(e)));
            return FAILED;
        }
    }

    /** Applies a setting that needs no restart; the log level is the only one. The broker's jars also have a Log4j system. */
    private static void applySetting(ApplicationContext context, String name, Optional<String> value) {
        if (name.equals(LOG_LEVEL)) {
            LogLevel level = value.map(LogLevel::valueOf).orElse(LogLevel.INFO);
            context.getBean(LogbackLoggingSystem.class).setLogLevel(ROOT_LOGGER, level);
        }
    }

    private int awaitEnd(ServiceHandle work) {
        try {
            while (!work.isDone() && !stop.await(POLL_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                Optional<String> failure = work.failure();
                if (failure.isPresent()) {
                    LOG.atError().addKeyValue("why", failure.get()).log("the process exits; restart it");
                    return FAILED;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return STOPPED;
    }

    /** Shutdown hook: the process ends when it returns, so it waits until everything is closed. */
    private void stopBySignal() {
        if (closed.getCount() > 0) {
            stop.countDown();
            try {
                var unused = closed.await(CLOSE_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(STOPPED);
        }
    }

    /** Ends the process after an uncaught exception: a service that has lost a thread would look healthy. */
    private void haltOnError(Thread thread, Throwable mistake) {
        LOG.atError()
                .addKeyValue("thread", thread.getName())
                .setCause(mistake)
                .log("this is a bug, please report it; the process exits");
        Runtime.getRuntime().halt(FAILED);
    }

    /**
     * The message of the first exception of Claimstream in the chain, otherwise of the root cause. Micronaut wraps exceptions of settings.
     */
    public static String reason(Throwable thrown) {
        List<Throwable> chain = Stream.iterate(
                        Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .toList();
        Throwable plain = chain.stream()
                .filter(each -> each.getClass().getName().startsWith(OWN_PACKAGE))
                .findFirst()
                .orElse(chain.getLast());
        return Optional.ofNullable(plain.getMessage()).orElse(plain.toString());
    }
}
