package dev.claimstream.load.services;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConflictCounterTest {
    @Test
    void addsConflictsOfClaimsOnly() {
        String meters = """
                # TYPE apiserver_request_total counter
                apiserver_request_total{code="200",component="apiserver",dry_run="",group="resource.k8s.io",resource="resourceclaims",scope="resource",subresource="status",verb="PATCH",version="v1"} 40
                apiserver_request_total{code="409",component="apiserver",dry_run="",group="",resource="pods",scope="resource",subresource="",verb="PATCH",version="v1"} 7
                apiserver_request_total{code="409",component="apiserver",dry_run="",group="resource.k8s.io",resource="resourceclaims",scope="resource",subresource="status",verb="PATCH",version="v1"} 2
                apiserver_request_total{code="409",component="apiserver",dry_run="",group="resource.k8s.io",resource="resourceclaims",scope="resource",subresource="",verb="UPDATE",version="v1"} 1
                """;
        assertThat(ConflictCounter.total(meters)).isEqualTo(3);
    }
}
