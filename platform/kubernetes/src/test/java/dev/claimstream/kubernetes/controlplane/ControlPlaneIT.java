package dev.claimstream.kubernetes.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Control planes with simulated nodes: pods, restarts of components and several instances. */
class ControlPlaneIT {
    @Test
    void runsAndEndsPodsOnSimulatedNodes() throws Exception {
        try (var plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT)) {
            plane.createNodes(2, "--cpu=4");
            plane.startSimulatedKubelet();
            var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
            admin.createOrThrow("/api/v1/namespaces/default/pods", """
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: short, annotations: {testbed.claimstream.dev/runs-seconds: "1"}}
                    spec: {restartPolicy: Never, containers: [{name: main, image: none}]}
                    """);
            String pod = "/api/v1/namespaces/default/pods/short";
            ApiPoller.await(admin, pod, seen -> seen.at("status", "phase").equals(Optional.of("Succeeded")));
            assertThat(admin.delete(pod).status()).isEqualTo(200);
            ApiPoller.await(admin, pod, seen -> seen.status() == 404);
            assertThat(plane.kubectl(ControlPlaneUser.ADMIN, "", "get", "nodes", "-o", "name"))
                    .isEqualTo("node/node-0000\nnode/node-0001\n");
            assertThat(admin.get("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-0000")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    @Tag("part-1")
    void componentsKeepStateOverRestart() {
        try (var plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT)) {
            plane.createNodes(1);
            var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
            plane.stop(ControlPlaneComponent.SCHEDULER);
            admin.createOrThrow("/api/v1/namespaces/default/pods", """
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: waiting}
                    spec: {containers: [{name: main, image: none}]}
                    """);
            long first = plane.pid(ControlPlaneComponent.API_SERVER);
            assertThat(plane.restart(ControlPlaneComponent.API_SERVER)).isNotEqualTo(first);
            plane.kill(ControlPlaneComponent.ETCD);
            plane.start(ControlPlaneComponent.ETCD);
            String pod = "/api/v1/namespaces/default/pods/waiting";
            assertThat(ApiPoller.await(admin, pod, seen -> seen.status() == 200).at("spec", "nodeName"))
                    .isEmpty();
            plane.resume(ControlPlaneComponent.SCHEDULER);
            ApiPoller.await(admin, pod, seen -> seen.at("spec", "nodeName").equals(Optional.of("node-0000")));
        }
    }

    @Test
    @Tag("part-4")
    void controlPlanesRunSideBySideAndLeaveNothing() {
        List<Path> folders;
        List<ProcessHandle> processes;
        var few = ControlPlaneOptions.DEFAULT
                .without(ControlPlaneComponent.SCHEDULER)
                .without(ControlPlaneComponent.CONTROLLERS);
        try (var one = TestControlPlane.start(few);
                var other = TestControlPlane.start(few)) {
            assertThat(one.server()).isNotEqualTo(other.server());
            folders = List.of(one.folder(), other.folder());
            processes = Stream.of(one, other)
                    .flatMap(each ->
                            Stream.of(each.pid(ControlPlaneComponent.ETCD), each.pid(ControlPlaneComponent.API_SERVER)))
                    .flatMap(pid -> ProcessHandle.of(pid).stream())
                    .toList();
            assertThat(processes).hasSize(4);
            assertThatThrownBy(() -> one.stop(ControlPlaneComponent.SCHEDULER))
                    .isInstanceOf(ControlPlaneException.class)
                    .hasMessage("no part is called \"kube-scheduler\": there are etcd, kube-apiserver");
        }
        assertThat(processes).noneMatch(ProcessHandle::isAlive);
        assertThat(folders).noneMatch(Files::exists);
    }
}
