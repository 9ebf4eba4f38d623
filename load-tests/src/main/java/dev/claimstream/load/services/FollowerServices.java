package dev.claimstream.load.services;

import dev.claimstream.dra.DeviceId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The services that follow the log: history, simulator, shadow and archive. No other service depends on them. */
final class FollowerServices {
    /** The services, as in {@link ServiceInstallation#start}. */
    static final List<String> NAMES = List.of("history", "simulator", "shadow", "archive");

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(20);
    private static final Pattern COMPARED = Pattern.compile("[1-9]\\d* inputs decided alike");
    private static final Pattern ARCHIVED = Pattern.compile("\\d+ records archived to");
    private static final String CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: question, namespace: %s}
            spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %s}}]}}
            """.formatted(ServiceInstallation.NAMESPACE, ServiceInstallation.DEVICE_CLASS);

    private final ServiceInstallation installation;
    private final DeviceId device;

    /** @param device a device that is allocated to a claim */
    FollowerServices(ServiceInstallation installation, DeviceId device) {
        this.installation = installation;
        this.device = device;
    }

    /**
     * Waits until a service works, and returns the time of {@link System#nanoTime} then.
     *
     * <p>The history names the claim of a device, the simulator answers whether a claim fits, the shadow has compared
     * inputs with the ledger, and the archive has completed a run. The health of shadow and archive counts from the
     * start of the process.
     *
     * @throws IOException if it does not work in time; the message has its health
     */
    long awaitWork(String name) throws IOException, InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (!works(name)) {
            if (System.nanoTime() > limit) {
                throw new IOException("%s does not work within %s: %s"
                        .formatted(name, PATIENCE, installation.get(name).health()));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return System.nanoTime();
    }

    private boolean works(String name) throws InterruptedException {
        return switch (name.substring(0, name.indexOf('-'))) {
            case "history" -> namesHolder(name);
            case "simulator" -> simulates(name);
            case "shadow" -> COMPARED.matcher(installation.get(name).health()).find();
            case "archive" -> ARCHIVED.matcher(installation.get(name).health()).find();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private boolean namesHolder(String name) throws InterruptedException {
        var request = request(name, "/api/v1/who?device=%s/%s".formatted(device.pool(), device.device()));
        return answers(request.GET(), "pod-");
    }

    private boolean simulates(String name) throws InterruptedException {
        var request = request(name, "/api/v1/simulate");
        return answers(request.POST(BodyPublishers.ofString(CLAIM)), "\"fits\"");
    }

    private HttpRequest.Builder request(String name, String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:%d%s".formatted(installation.answerPort(name), path)))
                .timeout(ANSWER_WITHIN);
    }

    private boolean answers(HttpRequest.Builder request, String part) throws InterruptedException {
        try {
            HttpResponse<String> response = installation.client().send(request.build(), BodyHandlers.ofString());
            return response.statusCode() == 200 && response.body().contains(part);
        } catch (IOException e) {
            return false;
        }
    }
}
