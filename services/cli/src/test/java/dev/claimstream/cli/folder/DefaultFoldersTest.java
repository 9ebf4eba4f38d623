package dev.claimstream.cli.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the default data folders by variable, platform, user, kind of cluster and running {@code up}. */
final class DefaultFoldersTest {
    private static final String LINUX = "Linux";
    private static final Path HOME = Path.of("/home/user");
    private static final String SERVER = "https://127.0.0.1:6443";

    @TempDir
    private Path share = Path.of("");

    private DefaultFolders folders = new DefaultFolders(Map.of(), LINUX, HOME);

    @BeforeEach
    void setUp() {
        folders = new DefaultFolders(Map.of("XDG_DATA_HOME", share.toString()), LINUX, HOME);
    }

    private static String inMemory(String system, Map<String, String> environment) {
        return new DefaultFolders(environment, system, HOME)
                .of(ClusterKind.IN_MEMORY)
                .toString();
    }

    @Test
    void prefersClaimstreamDataVariable() {
        var environment = Map.of("CLAIMSTREAM_DATA", "/srv/claimstream", "XDG_DATA_HOME", "/data");
        assertThat(inMemory(LINUX, environment)).isEqualTo("/srv/claimstream");
        assertThat(inMemory("Mac OS X", environment)).isEqualTo("/srv/claimstream");
        assertThat(inMemory(LINUX, Map.of("CLAIMSTREAM_DATA", " ", "XDG_DATA_HOME", "/data")))
                .isEqualTo("/data/claimstream");
        assertThat(new DefaultFolders(environment, LINUX, HOME).of(ClusterKind.CONTROL_PLANE))
                .hasToString("/srv/claimstream");
    }

    @Test
    void usesDataDirectoryOfPlatform() {
        assertThat(inMemory(LINUX, Map.of("XDG_DATA_HOME", "/data"))).isEqualTo("/data/claimstream");
        assertThat(inMemory(LINUX, Map.of())).isEqualTo("/home/user/.local/share/claimstream");
        assertThat(inMemory("Mac OS X", Map.of("XDG_DATA_HOME", "/data")))
                .isEqualTo("/home/user/Library/Application Support/claimstream");
    }

    @Test
    void ignoresRelativeXdgDataHome() {
        assertThat(inMemory(LINUX, Map.of("XDG_DATA_HOME", "data"))).isEqualTo("/home/user/.local/share/claimstream");
    }

    @Test
    void eachKindOfClusterHasFolderOfItsOwn() {
        assertThat(List.of(ClusterKind.values()).stream().map(folders::of).distinct())
                .containsExactly(
                        share.resolve("claimstream"),
                        share.resolve("claimstream-control-plane"),
                        share.resolve("claimstream-kubernetes"));
        assertThat(folders.upOptions(share.resolve("claimstream"))).isEmpty();
        assertThat(folders.upOptions(share.resolve("claimstream-control-plane")))
                .isEqualTo(" --control-plane");
        assertThat(folders.upOptions(Path.of("/srv"))).isEqualTo(" --data /srv");
    }

    // ---- the folder of commands without --data

    private Path publish(ClusterKind kind, long pid, Optional<String> server) {
        Path path = folders.of(kind);
        try (var folder = DataFolder.open(path)) {
            folder.publishEndpoint(new Endpoint(
                    URI.create("http://127.0.0.1:8410"),
                    pid,
                    "127.0.0.1:9092",
                    URI.create("http://127.0.0.1:8081"),
                    server.map(url -> new Endpoint.Cluster(
                            url, ApiAccess.of(share.resolve("kubeconfig"), Optional.empty()), false))));
        }
        return path;
    }

    private static long ownPid() {
        return ProcessHandle.current().pid();
    }

    @Test
    void findsFolderOfTheUpThatRuns() {
        assertThat(folders.running()).isEqualTo(share.resolve("claimstream"));
        Path own = publish(ClusterKind.CONTROL_PLANE, ownPid(), Optional.of(SERVER));
        assertThat(folders.running()).isEqualTo(own);
        publish(ClusterKind.IN_MEMORY, Integer.MAX_VALUE, Optional.empty());
        assertThat(folders.running())
                .as("the other has ended without removing its address")
                .isEqualTo(own);
    }

    @Test
    void ignoresLaterProcessWithNumberOfEndedUp() throws IOException {
        Path ended = publish(ClusterKind.CONTROL_PLANE, ownPid(), Optional.of(SERVER));
        Path runs = publish(ClusterKind.KUBERNETES, ownPid(), Optional.of(SERVER));
        Files.setLastModifiedTime(ended.resolve("endpoint.json"), FileTime.from(Instant.EPOCH));
        assertThat(folders.running()).isEqualTo(runs);
    }

    @Test
    void severalNeedClusterOrFolder() {
        Path inMemory = publish(ClusterKind.IN_MEMORY, ownPid(), Optional.empty());
        Path own = publish(ClusterKind.CONTROL_PLANE, ownPid(), Optional.of(SERVER));
        assertThat(folders.serving(own::equals)).contains(own);
        assertThatThrownBy(() -> folders.running())
                .isInstanceOf(RunFailure.class)
                .hasMessage("several 'claimstream up' run, on %s and %s: name the folder of one with --data"
                        .formatted(inMemory, own));
    }

    @Test
    void runningUpsMayServeOtherClusters() {
        assertThat(folders.serving(_ -> false)).as("none runs").contains(folders.of(ClusterKind.IN_MEMORY));
        Path own = publish(ClusterKind.CONTROL_PLANE, ownPid(), Optional.of(SERVER));
        assertThat(folders.serving(_ -> false)).isEmpty();
        assertThat(folders.running()).isEqualTo(own);
        Path inMemory = publish(ClusterKind.IN_MEMORY, ownPid(), Optional.empty());
        assertThat(folders.serving(_ -> false)).isEmpty();
        assertThat(folders.allRunning()).containsExactly(inMemory, own);
        var environment = Map.of("XDG_DATA_HOME", share.toString(), "CLAIMSTREAM_DATA", own.toString());
        assertThat(new DefaultFolders(environment, LINUX, HOME).serving(_ -> false))
                .as("the user names the folder")
                .contains(own);
    }

    // ---- the cluster of a folder

    @ParameterizedTest
    @CsvSource({"IN_MEMORY, miniature", "CONTROL_PLANE, 0a6c", "KUBERNETES, 0a6c"})
    void folderServesOnlyItsKindOfCluster(ClusterKind kind, String id) throws IOException {
        Path path = share.resolve("named");
        for (ClusterKind each : ClusterKind.values()) {
            DataFolder.requireKind(path, each);
        }
        assertThat(path).doesNotExist();
        try (var folder = DataFolder.open(path)) {
            // an interrupted `up --control-plane` leaves this folder before the data folder belongs to a cluster
            Files.createDirectories(folder.controlPlane());
            folder.bindCluster(kind, new BoundCluster(id, Optional.empty()));
        }
        assertServesOnly(path, kind);
    }

    private static void assertServesOnly(Path path, ClusterKind kind) {
        for (ClusterKind each : ClusterKind.values()) {
            if (each == kind) {
                DataFolder.requireKind(path, each);
            } else {
                assertThatThrownBy(() -> DataFolder.requireKind(path, each))
                        .hasMessage("%s belongs to %s since its first start, not to %s: name another folder with --data"
                                .formatted(path, kind, each));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "IN_MEMORY, miniature, false",
        "CONTROL_PLANE, 0a6c, true",
        "KUBERNETES, 0a6c, false",
        // a run of an earlier version may have left the folder of a control plane
        "IN_MEMORY, miniature, true"
    })
    void findsKindOfFolderOfEarlierVersion(ClusterKind kind, String id, boolean hasControlPlane) throws IOException {
        Path path = share.resolve("named");
        bindAsEarlierVersion(path, id, hasControlPlane);
        assertServesOnly(path, kind);
        try (var folder = DataFolder.open(path)) {
            folder.bindCluster(kind, new BoundCluster(id, Optional.empty()));
        }
        assertServesOnly(path, kind);
    }

    @ParameterizedTest
    @CsvSource({"CONTROL_PLANE, true", "KUBERNETES, false"})
    void upDoesNotIgnoreDefaultFolderOfEarlierVersion(ClusterKind kind, boolean hasControlPlane) throws IOException {
        Path shared = share.resolve("claimstream");
        for (ClusterKind each : ClusterKind.values()) {
            assertThat(folders.forUp(each)).isEqualTo(folders.of(each));
        }
        bindAsEarlierVersion(shared, "0a6c", hasControlPlane);
        for (ClusterKind each : ClusterKind.values()) {
            if (each == kind || each == ClusterKind.IN_MEMORY) {
                assertThatThrownBy(() -> folders.forUp(each))
                        .isInstanceOf(RunFailure.class)
                        .hasMessage(
                                "%1$s belongs to %2$s, whose default folder is now %3$s: move it there, continue it with 'claimstream up%4$s --data %1$s', or name another folder with --data"
                                        .formatted(shared, kind, folders.of(kind), kind.upOption()));
            } else {
                assertThat(folders.forUp(each)).isEqualTo(folders.of(each));
            }
        }
        var environment = Map.of("XDG_DATA_HOME", share.toString(), "CLAIMSTREAM_DATA", shared.toString());
        assertThat(new DefaultFolders(environment, LINUX, HOME).forUp(kind))
                .as("the variable is a decision of the user")
                .isEqualTo(shared);
        Files.createDirectories(folders.of(kind));
        assertThat(folders.forUp(kind)).isEqualTo(folders.of(kind));
        assertThatThrownBy(() -> folders.forUp(ClusterKind.IN_MEMORY)).hasMessageContaining(": move it away, ");
    }

    private static void bindAsEarlierVersion(Path path, String id, boolean hasControlPlane) throws IOException {
        try (var folder = DataFolder.open(path)) {
            Files.writeString(folder.path().resolve("cluster.properties"), "cluster=%s%n".formatted(id));
        }
        if (hasControlPlane) {
            Files.createDirectories(path.resolve("control-plane"));
        }
    }
}
