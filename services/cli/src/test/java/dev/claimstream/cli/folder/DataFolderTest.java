package dev.claimstream.cli.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests to which cluster a data folder belongs, and what a rejected start leaves in it. */
final class DataFolderTest {
    private static final BoundCluster FIRST = new BoundCluster("0a6c", Optional.of("https://first:6443"));
    private static final BoundCluster SECOND = new BoundCluster("77e1", Optional.of("https://second:6443"));

    @TempDir
    private Path temporary = Path.of("");

    /** A start that writes the files of a broker and is rejected before it may write to the cluster. */
    private static void startRejected(Path path) throws IOException {
        try (var folder = DataFolder.open(path)) {
            folder.cells(Optional.of(2));
            folder.requireCluster(FIRST);
            Files.writeString(Files.createDirectories(path.resolve("kafka")).resolve("log"), "records");
            Files.writeString(folder.reads(), "line");
            folder.discardIfUnbound();
        }
    }

    @Test
    void rejectedFirstStartLeavesNoFolder() throws IOException {
        Path path = temporary.resolve("new");
        startRejected(path);
        assertThat(path).doesNotExist();
        try (var folder = DataFolder.open(path)) {
            folder.cells(Optional.of(3));
            folder.bindCluster(ClusterKind.KUBERNETES, SECOND);
        }
    }

    @Test
    void rejectedFirstStartKeepsFolderOfUser() throws IOException {
        Path path = Files.createDirectory(temporary.resolve("empty"));
        startRejected(path);
        assertThat(path).isEmptyDirectory();
    }

    @Test
    void rejectedFirstStartKeepsFilesOfUser() throws IOException {
        Path path = temporary.resolve("new");
        try (var folder = DataFolder.open(path)) {
            Files.writeString(path.resolve("notes"), "written by the user meanwhile");
            folder.discardIfUnbound();
        }
        assertThat(path.toFile().list()).containsExactly("notes");
    }

    @Test
    void rejectedLaterStartRemovesNothing() throws IOException {
        Path path = temporary.resolve("used");
        try (var folder = DataFolder.open(path)) {
            folder.cells(Optional.of(2));
            folder.bindCluster(ClusterKind.KUBERNETES, FIRST);
        }
        startRejected(path);
        assertThat(path.toFile().list()).contains("kafka", "cells.properties", "cluster.properties");

        Path unbound = temporary.resolve("unbound");
        try (var _ = DataFolder.open(unbound)) {
            Files.createDirectory(unbound.resolve("kafka"));
        }
        startRejected(unbound);
        assertThat(unbound.toFile().list())
                .as("an earlier process left it")
                .contains("kafka", "claimstream.properties");
    }

    @Test
    void boundFolderIsNotDiscarded() throws IOException {
        Path path = temporary.resolve("new");
        try (var folder = DataFolder.open(path)) {
            folder.bindCluster(ClusterKind.KUBERNETES, FIRST);
            folder.discardIfUnbound();
        }
        assertThat(path.toFile().list()).contains("cluster.properties", "claimstream.properties");
    }

    @Test
    void namesServersOfBothClusters() throws IOException {
        Path path = temporary.resolve("used");
        try (var folder = DataFolder.open(path)) {
            folder.bindCluster(ClusterKind.KUBERNETES, FIRST);
            assertThatThrownBy(() -> folder.requireCluster(SECOND))
                    .isInstanceOf(RunFailure.class)
                    .hasMessage(
                            "%1$s belongs to the cluster at https://first:6443 (id 0a6c) since its first start, not to the cluster at https://second:6443 (id 77e1): name another folder with --data, or delete %1$s if that cluster no longer exists"
                                    .formatted(path));
            Files.writeString(path.resolve("cluster.properties"), "cluster=0a6c%n".formatted());
            assertThatThrownBy(() -> folder.requireCluster(SECOND))
                    .hasMessageStartingWith(
                            "%s belongs to the cluster with id 0a6c since its first start, not to".formatted(path));
            folder.bindCluster(ClusterKind.KUBERNETES, FIRST);
            assertThatThrownBy(() -> folder.requireCluster(SECOND)).hasMessageContaining("at https://first:6443");
        }
    }
}
