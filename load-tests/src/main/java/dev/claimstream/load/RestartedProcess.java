package dev.claimstream.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A {@link RestartedSystem} as a process. It prints its progress and ends when its standard input is closed. */
final class RestartedProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    /** The start of the lines with the JVM's options for a start-up cache. */
    private static final String OPTIONS_MESSAGE = "Picked up JAVA_TOOL_OPTIONS";

    private final long started = System.nanoTime();
    private final Process process;
    private final Map<Milestone, CompletableFuture<MilestoneEvent>> reached = new EnumMap<>(Milestone.class);

    /** The printed milestones, in this order. */
    enum Milestone {
        BROKER,
        CELLS,
        DECIDED,
        CPU,
        HEAP,
        SNAPSHOT
    }

    private record MilestoneEvent(double seconds, String text) {}

    /** @param cache JVM options for the start-up cache; empty for none */
    private RestartedProcess(List<String> cache, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-Xshare")) // incompatible with a start-up cache
                .forEach(command::add);
        command.addAll(cache);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RestartedSystem.class.getName()));
        command.addAll(List.of(arguments));
        for (Milestone each : Milestone.values()) {
            reached.put(each, new CompletableFuture<>());
        }
        process = new ProcessBuilder(command).start();
        Thread.ofPlatform().daemon().name("load-listener").start(this::listen);
        Thread.ofPlatform().daemon().name("load-errors").start(this::passErrorsOn);
    }

    /** Starts a process that allocates a number of devices. */
    static RestartedProcess filled(Path folder, GpuFleet fleet, int held) throws IOException {
        return new RestartedProcess(
                List.of(), "fill", folder.toString(), fleet.nodes() + "x" + fleet.devices(), Integer.toString(held));
    }

    /** Starts a process that creates a start-up cache. */
    static RestartedProcess training(Path folder, Path cache) throws IOException {
        return new RestartedProcess(List.of("-XX:AOTCacheOutput=" + cache), "again", folder.toString());
    }

    /** Starts a process that resumes from the state in the folder. */
    static RestartedProcess again(Path folder, List<String> cache) throws IOException {
        return new RestartedProcess(cache, "again", folder.toString());
    }

    /** Starts a process that resumes, with a snapshot after every input. */
    static RestartedProcess withSnapshots(Path folder, List<String> cache) throws IOException {
        return new RestartedProcess(cache, "snapshots", folder.toString());
    }

    /** Starts a process that writes a state header of another release with the same format, and ends. */
    static RestartedProcess changingEngine(Path folder, List<String> cache) throws IOException {
        return new RestartedProcess(cache, "engine", folder.toString());
    }

    /** Starts a process that writes a state header with another format, and ends. */
    static RestartedProcess changingFormat(Path folder, List<String> cache) throws IOException {
        return new RestartedProcess(cache, "format", folder.toString());
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                parse(line);
            }
        } catch (IOException e) {
            end(e);
        }
        end(new IllegalStateException("the process has ended"));
    }

    private void passErrorsOn() {
        try (BufferedReader lines = process.errorReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith(OPTIONS_MESSAGE)) {
                    System.err.println(line);
                }
            }
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
    }

    private void parse(String line) {
        for (Milestone each : Milestone.values()) {
            if (line.startsWith(each.name())) {
                double seconds = (System.nanoTime() - started) / 1e9;
                at(each).complete(new MilestoneEvent(
                        seconds, line.substring(each.name().length()).strip()));
            }
        }
    }

    private void end(Exception why) {
        reached.values().forEach(each -> each.completeExceptionally(why));
    }

    private CompletableFuture<MilestoneEvent> at(Milestone milestone) {
        return reached.computeIfAbsent(milestone, _ -> new CompletableFuture<>());
    }

    /** Returns the seconds from the start to a milestone. */
    double await(Milestone milestone) throws InterruptedException {
        return get(milestone).seconds();
    }

    /** Returns the text printed at a milestone. */
    String textOf(Milestone milestone) throws InterruptedException {
        return get(milestone).text();
    }

    private MilestoneEvent get(Milestone milestone) throws InterruptedException {
        try {
            return at(milestone).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("not reached: " + milestone, e);
        }
    }

    /** Ends the process in an orderly way. */
    void end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("it did not end well");
        }
    }

    /** Kills the process with SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
