package dev.claimstream.cli.console;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.DefaultFolders;
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
import java.util.stream.Collectors;
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

    static Path home() {
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
                    console.address().map(ConsoleClient::ofAddress).orElseGet(() -> ofServingFolder(console));
            access.ifPresent(client::useTokenOf);
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

    private ConsoleClient ofServingFolder(ConsoleOption console) {
        try {
            return ConsoleClient.ofFolder(folder(console)
                    .orElseThrow(() -> new RunFailure(
                            unservedText() + ": name the folder of the one that serves it with --data")));
        } catch (ClusterFault e) {
            throw unverifiable(e);
        }
    }

    /**
     * Returns the data folder of the {@code up} that serves the selected cluster.
     * If no cluster is selected, or the user names a folder, the cluster is not considered.
     *
     * @return empty if {@code up} runs on default folders, but none serves the selected cluster
     * @throws IllegalArgumentException as in {@link #access}
     * @throws ClusterFault if the identity of the cluster is needed and cannot be read
     */
    public Optional<Path> folder(ConsoleOption console) {
        Optional<ApiAccess> access = access();
        if (access.isEmpty() || console.isFolderNamed()) {
            return Optional.of(console.folder());
        }
        return console.folder(each -> hasServer(each, access.get().server()))
                .or(() -> console.folder(each -> served(each).isPresent() && isSame(access.get(), each)));
    }

    /** Returns the text for a cluster that no {@code up} of the default folders serves. */
    public String unservedText() {
        return unservedText(
                access().map(ApiAccess::server).orElse(""),
                DefaultFolders.ofUser().allRunning());
    }

    static String unservedText(String server, List<Path> running) {
        return "no running 'claimstream up' serves %s (%s)"
                .formatted(
                        server,
                        running.stream()
                                .map(each -> "the one on %s serves %s".formatted(each, servedText(served(each))))
                                .collect(Collectors.joining(", ")));
    }

    private static boolean hasServer(Path folder, String server) {
        return served(folder).filter(each -> each.server().equals(server)).isPresent();
    }

    private static Optional<Endpoint.Cluster> served(Path folder) {
        return DataFolder.publishedEndpoint(folder).flatMap(Endpoint::cluster);
    }

    /** Prints which cluster is served, because users of a kubectl plugin expect the cluster of a kubeconfig. */
    private void printServedCluster(ConsoleClient.ConsoleTarget.Folder up) {
        if (isPlugin()) {
            spec.commandLine()
                    .getErr()
                    .println("no kubeconfig found ($%s, %s): showing %s, which 'claimstream up' on %s serves"
                            .formatted(
                                    KUBECONFIG, home(), servedText(up.endpoint().cluster()), up.folder()));
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

    private static String servedText(Optional<Endpoint.Cluster> served) {
        return served.map(Endpoint.Cluster::server).orElse("a simulated cluster");
    }

    private static void check(ApiAccess access, ConsoleClient.ConsoleTarget.Folder up) {
        String wanted = access.server();
        Optional<Endpoint.Cluster> served = up.endpoint().cluster();
        if (served.filter(each -> each.server().equals(wanted)).isPresent()) {
            return;
        }
        try {
            if (served.isEmpty() || !isSame(access, up.folder())) {
                throw new RunFailure(
                        "claimstream on %s serves %s, not %s: name the folder of the one that serves it with --data"
                                .formatted(up.folder(), servedText(served), wanted));
            }
        } catch (ClusterFault e) {
            throw unverifiable(e);
        }
    }

    private static RunFailure unverifiable(ClusterFault e) {
        return new RunFailure("cannot verify that this is the served cluster: " + e.getMessage());
    }

    /** Compares cluster ids, because one cluster may have several addresses. */
    private static boolean isSame(ApiAccess access, Path folder) {
        try (var cluster = ApiCluster.open(access, ApiScope.ALL)) {
            return DataFolder.clusterOf(folder)
                    .filter(cluster.clusterId()::equals)
                    .isPresent();
        }
    }
}
