package dev.claimstream.load.services;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.security.KafkaSecurity;
import dev.claimstream.kafka.security.TlsFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Brokers as processes, usually three, with a replica of every partition on each. The first one is also the only
 * controller.
 */
final class BrokerProcesses implements KafkaBrokers {
    /** The usual number of brokers. */
    static final int COUNT = 3;

    /** The number of the broker that is also the controller. */
    static final int CONTROLLER = 1;

    private static final long PATIENCE_S = 120;

    private final Path folder;
    private final List<Integer> ports;
    private final List<Integer> plainPorts;
    private final Optional<LoopbackCertificate> certificate;
    private final List<Process> processes = new ArrayList<>();
    private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::endProcesses);
    private List<String> cluster = List.of();

    private BrokerProcesses(Path folder, int count, Optional<LoopbackCertificate> certificate) throws IOException {
        this.folder = folder;
        this.certificate = certificate;
        ports = freePorts(count);
        plainPorts = certificate.isPresent() ? freePorts(count) : ports;
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ports.add(FreePort.next());
        }
        return List.copyOf(ports);
    }

    /**
     * Starts the brokers on free ports, with their data and logs in a folder.
     *
     * @param isEncrypted whether clients and brokers connect with TLS
     */
    static BrokerProcesses start(Path folder, int count, boolean isEncrypted) throws IOException, InterruptedException {
        var brokers = new BrokerProcesses(
                folder, count, isEncrypted ? Optional.of(LoopbackCertificate.in(folder)) : Optional.empty());
        try {
            for (int number = 1; number <= count; number++) {
                brokers.processes.add(brokers.startProcess(number));
                brokers.awaitReady(number);
            }
        } catch (IOException | InterruptedException e) {
            brokers.close();
            throw e;
        }
        return brokers;
    }

    private Process startProcess(int number) throws IOException {
        Files.createDirectories(data(number));
        Path log = log(number);
        Files.deleteIfExists(log);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        certificate.ifPresent(each -> command.addAll(List.of(
                "-D%s=%s".formatted(BrokerMain.TLS_STORE, each.store()),
                "-D%s=%d".formatted(BrokerMain.TLS_PORT, ports.get(number - 1)))));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                BrokerMain.class.getName(),
                data(number).toString(),
                Integer.toString(plainPorts.get(number - 1)),
                Integer.toString(number),
                Integer.toString(ports.size())));
        command.addAll(cluster);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private void awaitReady(int number) throws IOException, InterruptedException {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (true) {
            List<String> lines = Files.readAllLines(log(number));
            for (String line : lines) {
                if (line.startsWith(BrokerMain.READY + " ")) {
                    cluster = Arrays.stream(line.split(" ", -1)).skip(1).toList();
                    return;
                }
            }
            if (!process(number).isAlive() || System.nanoTime() > limit) {
                throw new IOException("broker %d did not start: %s"
                        .formatted(
                                number,
                                String.join("\n", lines.subList(Math.max(0, lines.size() - COUNT), lines.size()))));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Override
    public KafkaConnection connection() {
        String bootstrap = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        try {
            return certificate.isPresent()
                    ? new KafkaSecurity(
                                    true,
                                    new TlsFiles(Optional.of(certificate.get().caFile()), Optional.empty()),
                                    Optional.empty())
                            .connection(bootstrap)
                    : KafkaConnection.plain(bootstrap);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Map<String, String> serviceSettings() {
        return certificate
                .map(each -> Map.of(
                        "CLAIMSTREAM_KAFKA_SECURITY_PROTOCOL",
                        "SSL",
                        "CLAIMSTREAM_KAFKA_TLS_CA_FILE",
                        each.caFile().toString()))
                .orElseGet(Map::of);
    }

    /** Returns the ports of the clients. */
    List<Integer> ports() {
        return ports;
    }

    /** Returns the data folder of a broker, which may be created before the start as the root of a file system. */
    static Path data(Path folder, int number) {
        return folder.resolve("kafka-" + number);
    }

    private Path data(int number) {
        return data(folder, number);
    }

    private Path log(int number) {
        return folder.resolve("kafka-%d.log".formatted(number));
    }

    private Process process(int number) {
        return processes.get(number - 1);
    }

    /** Kills a broker and waits for its end. */
    void kill(int number) throws InterruptedException {
        process(number).destroyForcibly().waitFor();
    }

    boolean isAlive(int number) {
        return process(number).isAlive();
    }

    /** Starts a broker that has ended, with its data. */
    void restart(int number) throws IOException, InterruptedException {
        processes.set(number - 1, startProcess(number));
        awaitReady(number);
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
        endProcesses();
    }

    /** Ends the first broker last, since it is the controller. */
    private void endProcesses() {
        IntStream.range(0, processes.size())
                .mapToObj(i -> processes.get(processes.size() - 1 - i))
                .forEach(Process::destroyForcibly);
    }
}
