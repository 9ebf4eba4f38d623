package dev.claimstream.agent;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertySource;
import io.micronaut.core.type.Argument;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/** The agent as a process of its own. */
public final class Main {
    private static final int FAILED = 1;
    private static final String PREFIX = "claimstream.agent.";

    private static final String LOG_SETTINGS = "logback.configurationFile";

    /** Whatever else is on the class path does not run in the agent's process. */
    private static final Map<String, Object> ALONE = Map.of(
            "claimstream.allocator.enabled", false,
            "claimstream.console.enabled", false,
            "claimstream.watcher.enabled", false,
            "claimstream.writer.enabled", false);

    private static final String USAGE = """
            Usage: agent [--print]
            Tells Kafka which accelerators this node has, how they are and what they measure.
              --print   prints what it finds as ResourceSlices on standard output and ends; needs no Kafka
            Settings come from the environment: CLAIMSTREAM_KAFKA_BOOTSTRAP, CLAIMSTREAM_REGISTRY_URL, NODE_NAME, CLAIMSTREAM_AGENT_*.
            """;

    private Main() {}

    /** Runs until it is stopped; ends with 1 where its configuration is wrong or the program has a mistake. */
    public static void main(String[] args) {
        System.exit(
                switch (String.join(" ", args)) {
                    case "" -> run();
                    case "--print" -> print();
                    default -> usage(Arrays.asList(args));
                });
    }

    private static int usage(List<String> args) {
        boolean isAsked = args.equals(List.of("--help")) || args.equals(List.of("-h"));
        (isAsked ? System.out : System.err).print(USAGE);
        return isAsked ? 0 : FAILED;
    }

    /** Runs the agent of this node by the settings of the environment until the process is told to end; returns the exit code. */
    public static int run() {
        if (System.getProperty(LOG_SETTINGS) == null) {
            System.setProperty(LOG_SETTINGS, "dev/claimstream/agent/logback.xml");
        }
        Thread.setDefaultUncaughtExceptionHandler(Main::endForGood);
        var stop = new CountDownLatch(1);
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(stop, stopped), "agent-stop"));
        int exitCode = runUntil(stop);
        stopped.countDown();
        return exitCode;
    }

    /** The process ends when its shutdown hooks return, so this one waits until everything is closed. */
    private static void end(CountDownLatch stop, CountDownLatch stopped) {
        stop.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int runUntil(CountDownLatch stop) {
        try (var context = context()) {
            Environment environment = context.getEnvironment();
            require(environment, "claimstream.kafka.bootstrap", "host:port of Kafka");
            require(environment, "claimstream.registry.url", "the address of the schema registry");
            chooseMode(environment);
            context.start();
            stop.await();
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } catch (RuntimeException e) {
            return failed(e);
        }
    }

    private static int print() {
        try (var context = context()) {
            Environment environment = context.getEnvironment();
            String slices = NodePrint.slices(
                    Path.of(setting(environment, "sys", "/sys")),
                    Path.of(setting(environment, "proc", "/proc")),
                    setting(environment, "node", ""),
                    environment
                            .getProperty(PREFIX + "exclude", Argument.listOf(String.class))
                            .orElse(List.of()));
            new PrintStream(System.out, true, StandardCharsets.UTF_8).print(slices);
            return 0;
        } catch (IOException | RuntimeException e) {
            return failed(e);
        }
    }

    private static String setting(Environment environment, String name, String otherwise) {
        return environment.getProperty(PREFIX + name, String.class).orElse(otherwise);
    }

    private static ApplicationContext context() {
        ApplicationContext context = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .build();
        context.getEnvironment().start();
        return context;
    }

    /** With files of slices it is a simulated fleet; else it looks at the node that it runs on. */
    private static void chooseMode(Environment environment) {
        environment.addPropertySource(PropertySource.of("agent alone", ALONE));
        String mode = PREFIX + "mode";
        if (!environment.containsProperty(PREFIX + "files") && !environment.containsProperty(mode)) {
            environment.addPropertySource(PropertySource.of("mode", Map.of(mode, "node")));
        }
    }

    private static void require(Environment environment, String property, String meaning) {
        if (environment
                .getProperty(property, String.class)
                .filter(text -> !text.isBlank())
                .isEmpty()) {
            String variable = property.toUpperCase(Locale.ROOT).replace('.', '_');
            throw new IllegalArgumentException("%s is not set: set %s to %s".formatted(property, variable, meaning));
        }
    }

    /** A thread that dies by a mistake takes the process with it: half an agent would look like a whole one. */
    private static void endForGood(Thread thread, Throwable mistake) {
        LoggerFactory.getLogger(Main.class)
                .atError()
                .addKeyValue("thread", thread.getName())
                .setCause(mistake)
                .log("this is a mistake of the program, please report it; the agent ends");
        Runtime.getRuntime().halt(FAILED);
    }

    private static int failed(Exception thrown) {
        System.err.println("claimstream agent: " + reason(thrown));
        return FAILED;
    }

    /** The framework wraps what the check of a setting says; the innermost says it plainly. */
    private static String reason(Throwable thrown) {
        Throwable innermost = thrown;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            innermost = cause;
        }
        return Optional.ofNullable(innermost.getMessage()).orElse(innermost.toString());
    }
}
