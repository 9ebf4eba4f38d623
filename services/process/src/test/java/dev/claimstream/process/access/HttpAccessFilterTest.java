package dev.claimstream.process.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.AccessReviewer;
import dev.claimstream.kubernetes.access.HostCheck;
import dev.claimstream.kubernetes.access.ReviewCache;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.RouteTable;
import dev.claimstream.kubernetes.access.UserIdentity;
import dev.claimstream.process.http.ServiceHttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HttpAccessFilterTest {
    private static final int PER_USER_MAX = 4;

    private final Semaphore arrived = new Semaphore(0);
    private final CountDownLatch released = new CountDownLatch(1);

    /** The name of a user is its token. */
    private static final class TokenReviewer implements AccessReviewer {
        @Override
        public Optional<UserIdentity> authenticate(String token) {
            return Optional.of(new UserIdentity(token, "", List.of(), Map.of()));
        }

        @Override
        public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
            return true;
        }
    }

    private ServiceHttpServer start() throws Exception {
        return ServiceHttpServer.start(
                "test-http",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new HttpAccessFilter(
                        HostCheck.of("127.0.0.1", List.of(), ""),
                        AccessGate.of(new ReviewCache(new TokenReviewer(), Duration.ofMinutes(1), 10)),
                        new RouteTable(Map.of("GET /slow", RouteRule.USER, "GET /quick", RouteRule.USER)),
                        AccessDeniedException::problem),
                exchange -> {
                    try (exchange) {
                        if (exchange.getRequestURI().getPath().equals("/slow")) {
                            arrived.release();
                            released.await();
                        }
                        exchange.sendResponseHeaders(204, -1);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    private static HttpRequest request(ServiceHttpServer server, String user, String path) {
        return HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:%d%s".formatted(server.address().getPort(), path)))
                .header("Authorization", "Bearer " + user)
                .build();
    }

    @Test
    void limitsRequestsPerUser() throws Exception {
        try (var server = start();
                var http = HttpClient.newHttpClient()) {
            List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
            for (int i = 0; i < PER_USER_MAX; i++) {
                slow.add(http.sendAsync(request(server, "ann", "/slow"), HttpResponse.BodyHandlers.ofString()));
            }
            assertThat(arrived.tryAcquire(PER_USER_MAX, 10, TimeUnit.SECONDS)).isTrue();
            HttpResponse<String> fifth =
                    http.send(request(server, "ann", "/quick"), HttpResponse.BodyHandlers.ofString());
            assertThat(fifth.statusCode()).isEqualTo(429);
            assertThat(fifth.body()).contains("4 requests of user ann");
            assertThat(http.send(request(server, "bob", "/quick"), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(204);
            released.countDown();
            for (var each : slow) {
                assertThat(each.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(204);
            }
            int status = 429; // an answer may arrive before its request ends
            for (int i = 0; i < 1000 && status == 429; i++) {
                status = http.send(request(server, "ann", "/quick"), HttpResponse.BodyHandlers.ofString())
                        .statusCode();
            }
            assertThat(status).isEqualTo(204);
        }
    }
}
