package dev.claimstream.cli.console;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options that select the Kubernetes cluster of a command.
 * As a kubectl plugin, the command uses the cluster that kubectl would use.
 */
public final class ClusterOption {
    /** Environment variable that {@code kubectl-claimstream} sets. */
    static final String PLUGIN = "CLAIMSTREAM_PLUGIN";

    private static final String KUBECONFIG = "KUBECONFIG";

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Kubeconfig of the cluster. Default: the cluster that the running up serves;"
                    + " for kubectl claimstream: $KUBECONFIG, else ~/.kube/config if it exists.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "Context of the kubeconfig. Default: its current context.")
    private Optional<String> context = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ClusterOption() {}

    /**
     * Returns access to the selected cluster; empty if no cluster is selected.
     *
     * @throws IllegalArgumentException if a context is given without a kubeconfig, or the kubeconfig does not exist
     */
    public Optional<ApiAccess> access() {
        List<Path> files = kubeconfig
                .map(List::of)
                .orElseGet(() ->
                        isPlugin() ? kubectlFiles(Optional.ofNullable(System.getenv(KUBECONFIG)), home()) : List.of());
        if (files.isEmpty() && context.isPresent()) {
            throw new IllegalArgumentException(
                    "--context %s needs --kubeconfig: add that option".formatted(context.get()));
        }
        return files.isEmpty() ? Optional.empty() : Optional.of(new ApiAccess(files, context));
    }

    private static boolean isPlugin() {
        return !Optional.ofNullable(System.getenv(PLUGIN)).orElse("").isBlank();
    }

    private static Path home() {
        return Path.of(System.getProperty("user.home"), ".kube", "config");
    }

    /**
     * Returns the kubeconfig files that kubectl would read and that exist.
     * As in kubectl, a variable that is set replaces the default file. If none of its files exists, the user means an unknown cluster.
     *
     * @param variable value of {@code KUBECONFIG}
     * @param usual file that is read if the variable is not set
     * @throws IllegalArgumentException if the variable is set and none of its files exists
     */
    static List<Path> kubectlFiles(Optional<String> variable, Path usual) {
        List<Path> named = variable.stream()
                .flatMap(files -> Arrays.stream(files.split(File.pathSeparator, -1)))
                .filter(each -> !each.isBlank())
                .map(Path::of)
                .toList();
        if (named.isEmpty()) {
            return Stream.of(usual).filter(Files::isRegularFile).toList();
        }
        List<Path> there = named.stream().filter(Files::isRegularFile).toList();
        if (there.isEmpty()) {
            throw new IllegalArgumentException(
                    "$%s names %s, which does not exist: correct it, or name another file with --kubeconfig"
                            .formatted(KUBECONFIG, variable.orElse("")));
        }
        return there;
    }

    /**
     * Returns the namespace of the selected context; empty if no cluster is selected.
     *
     * @throws RunFailure if the kubeconfig cannot be used
     */
    public Optional<String> namespace() {
        try {
            return access().flatMap(ApiAccess::namespace);
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns a client of the console and checks that the console serves the selected cluster.
     * The check covers a running {@code up}. A console at an address does not report its cluster. The command then prints a warning.
     *
     * @throws RunFailure if {@code up} serves another cluster
     */
    public ConsoleClient connect(ConsoleOption console) {
        try {
            Optional<ApiAccess> access = access();
            ConsoleClient client =
                    console.client(console.isSelected() ? Optional.empty() : access.map(ApiAccess::server));
            switch (client.target()) {
                case ConsoleClient.ConsoleTarget.Folder up ->
                    access.ifPresentOrElse(each -> check(each, up), () -> printServedCluster(up));
                case ConsoleClient.ConsoleTarget.Address(URI address) -> warnUnverified(address);
            }
            return client;
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    /** Prints which cluster is served, because users of a kubectl plugin expect the cluster of a kubeconfig. */
    private void printServedCluster(ConsoleClient.ConsoleTarget.Folder up) {
        if (isPlugin()) {
            spec.commandLine()
                    .getErr()
                    .println("no kubeconfig found ($%s, %s): showing %s, which 'claimstream up' on %s serves"
                            .formatted(KUBECONFIG, home(), served(up), up.folder()));
        }
    }

    /** Warns if both a kubeconfig and a console address are given, because the cluster of the console is not verified. */
    private void warnUnverified(URI address) {
        if (kubeconfig.isPresent() || context.isPresent()) {
            spec.commandLine()
                    .getErr()
                    .println("%s does not report its cluster: not compared with the cluster of the kubeconfig"
                            .formatted(address));
        }
    }

    private static String served(ConsoleClient.ConsoleTarget.Folder up) {
        return up.endpoint().cluster().map(Endpoint.Cluster::server).orElse("a simulated cluster");
    }

    private static void check(ApiAccess access, ConsoleClient.ConsoleTarget.Folder up) {
        String wanted = access.server();
        Optional<Endpoint.Cluster> served = up.endpoint().cluster();
        if (served.filter(each -> each.server().equals(wanted)).isPresent()) {
            return;
        }
        if (served.isEmpty() || !isSame(access, DataFolder.clusterOf(up.folder()))) {
            throw new RunFailure(
                    "claimstream on %s serves %s, not %s: name the folder of the one that serves it with --data"
                            .formatted(up.folder(), served(up), wanted));
        }
    }

    /** Compares cluster ids, because one cluster may have several addresses. */
    private static boolean isSame(ApiAccess access, Optional<String> known) {
        try (var cluster = ApiCluster.open(access, ApiScope.ALL)) {
            return known.filter(cluster.clusterId()::equals).isPresent();
        } catch (ClusterFault e) {
            throw new RunFailure("cannot verify that this is the served cluster: " + e.getMessage());
        }
    }
}
