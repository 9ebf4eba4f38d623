package dev.claimstream.simulator;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kubernetes.access.Caller;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.DeviceReport;
import dev.claimstream.simulation.DeviceReportJson;
import dev.claimstream.simulation.DeviceReportText;
import dev.claimstream.simulation.InvalidSimulationException;
import dev.claimstream.simulation.SimulatedCell;
import dev.claimstream.simulation.Simulation;
import dev.claimstream.simulation.SimulationJson;
import dev.claimstream.simulation.SimulationRequest;
import dev.claimstream.simulation.SimulationResult;
import dev.claimstream.simulation.SimulationText;
import dev.claimstream.simulator.SimulatorServer.SimulatorResponse;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers the requests of {@link SimulatorServer}. */
final class SimulatorRequests {
    /** Header of the response to a simulation: whether everything that was requested is allocated. */
    private static final String FITS = "Claimstream-Fits";

    /** Header of the response about devices: whether the item is allocated or pending, as in the console. */
    private static final String STATE = "Claimstream-State";

    private static final ReadOptions READ_OPTIONS = ReadOptions.DEFAULT.with(ReadOptions.WorkloadTreatment.EXPANDED);
    private static final String PATHS = "/api/v1";
    private static final String SIMULATE = "/api/v1/simulate";
    private static final Pattern DEVICES = Pattern.compile("/api/v1/namespaces/([^/]+)/(claims|pods)/([^/]+)/devices");
    private static final Pattern NODES = Pattern.compile("(.+)=(\\d{1,5})");

    private final CellAccess state;
    private final Selectors selectors = new CelSelectors();

    SimulatorRequests(CellAccess state) {
        this.state = state;
    }

    /** The kind of the question of a path, for logs. */
    static String kind(String path) {
        Matcher devices = DEVICES.matcher(path);
        if (devices.matches()) {
            return devices.group(2).equals("pods") ? "pod-devices" : "claim-devices";
        }
        return switch (path) {
            case SIMULATE -> "simulate";
            case PATHS -> "paths";
            default -> "other";
        };
    }

    /**
     * Answers a request.
     *
     * @throws InvalidSimulationException if the simulation is invalid
     */
    SimulatorResponse answer(String method, URI uri, byte[] body, boolean isText, Caller caller) {
        String path = uri.getPath();
        Matcher devices = DEVICES.matcher(path);
        if (path.equals(SIMULATE)) {
            return method.equals("POST")
                    ? simulate(query(uri), body, isText, caller)
                    : SimulatorResponse.error(405, "%s is not allowed".formatted(method), path, "use POST");
        }
        if (devices.matches()) {
            return method.equals("GET")
                    ? devices(
                            new ObjectKey(devices.group(1), devices.group(3)),
                            devices.group(2).equals("pods"),
                            isText,
                            caller)
                    : SimulatorResponse.error(405, "%s is not allowed".formatted(method), path, "use GET");
        }
        return path.equals(PATHS)
                ? SimulatorResponse.json(Tree.mapping(fields -> fields.put(
                        "paths",
                        Tree.texts(List.of(
                                "GET /api/v1",
                                "POST /api/v1/simulate?addNodes=SHAPE=N&drain=NODE&policy=&shapes=true",
                                "GET /api/v1/namespaces/{namespace}/claims/{name}/devices",
                                "GET /api/v1/namespaces/{namespace}/pods/{name}/devices")))))
                : SimulatorResponse.error(
                        404, "there is no path %s".formatted(path), path, "GET /api/v1 lists all paths");
    }

    private record QueryParameter(String name, String value) {}

    private static List<QueryParameter> query(URI uri) {
        return Optional.ofNullable(uri.getRawQuery()).stream()
                .flatMap(text -> Arrays.stream(text.split("&", -1)))
                .filter(each -> !each.isEmpty())
                .map(each -> {
                    int sign = each.indexOf('=');
                    return new QueryParameter(
                            decoded(sign < 0 ? each : each.substring(0, sign)),
                            sign < 0 ? "" : decoded(each.substring(sign + 1)));
                })
                .toList();
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private SimulatorResponse simulate(List<QueryParameter> query, byte[] body, boolean isText, Caller caller) {
        List<ClusterObject> objects = objects(body);
        SimulationView.check(caller, objects);
        SimulationRequest request = SimulationRequest.none().withObjects(objects);
        for (QueryParameter parameter : query) {
            request = with(request, parameter);
        }
        SimulationRequest complete = request;
        VisibleObjects visible = visible(caller, SimulationView.namespacesOf(objects));
        return read(cells -> {
            var view = SimulationView.of(visible, cells);
            SimulationResult result = view.of(new Simulation(cells).run(complete));
            SimulatorResponse response = isText
                    ? SimulatorResponse.text(SimulationText.of(result))
                    : SimulatorResponse.json(SimulationJson.of(result));
            return response.redacted(view.redaction()).withHeader(FITS, Boolean.toString(result.fits()));
        });
    }

    private static SimulationRequest with(SimulationRequest request, QueryParameter parameter) {
        return switch (parameter.name) {
            case "addNodes" -> {
                Matcher nodes = NODES.matcher(parameter.value);
                if (!nodes.matches()) {
                    throw new InvalidSimulationException(
                            "addNodes=%s: use SHAPE=N, such as addNodes=gpu-node-1=2".formatted(parameter.value));
                }
                yield request.withAddedNodes(nodes.group(1), Integer.parseInt(nodes.group(2)));
            }
            case "drain" -> request.withDrainedNode(parameter.value);
            case "policy" -> request.withPolicy(policy(parameter.value));
            case "shapes" -> parameter.value.equals("false") ? request : request.withShapes();
            default ->
                throw new InvalidSimulationException(
                        "parameter %s is not known: use addNodes, drain, policy or shapes".formatted(parameter.name));
        };
    }

    private static PlacementPolicy policy(String text) {
        return Arrays.stream(PlacementPolicy.values())
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new InvalidSimulationException(
                        "policy %s is not known: use best-fit or first-fit".formatted(text)));
    }

    /** The objects of the body, completed as an API server does it. */
    private static List<ClusterObject> objects(byte[] body) {
        if (body.length == 0) {
            return List.of();
        }
        ManifestReadResult read = Manifests.read("body", new ByteArrayInputStream(body), READ_OPTIONS);
        Optional<ManifestFinding> error =
                read.findings().stream().filter(ManifestFinding::isError).findFirst();
        if (error.isPresent()) {
            throw new InvalidSimulationException(error.get().toString());
        }
        return ClusterCompletion.complete(read.manifests()).stream()
                .map(Manifest::object)
                .toList();
    }

    /**
     * Returns what a caller sees. The API server is asked while the states are not in use, because it may be slow.
     *
     * @param added namespaces of the request, which may be new
     */
    private VisibleObjects visible(Caller caller, Set<String> added) {
        if (caller.isLocal()) {
            return VisibleObjects.EVERYTHING;
        }
        Set<String> known = new TreeSet<>(added);
        state.read(SimulationView::namespaces).ifPresent(known::addAll);
        return caller.visible(known);
    }

    private SimulatorResponse devices(ObjectKey key, boolean isPod, boolean isText, Caller caller) {
        VisibleObjects visible = visible(caller, Set.of());
        return read(cells -> {
            var view = SimulationView.of(visible, cells);
            return cells.stream()
                    .flatMap(cell -> report(cell, key, isPod).stream())
                    .findFirst()
                    .map(each -> view.of(each, cells))
                    .map(each -> (isText
                                    ? SimulatorResponse.text(DeviceReportText.of(each))
                                    : SimulatorResponse.json(DeviceReportJson.of(each)))
                            .redacted(view.redaction())
                            .withHeader(STATE, each.isPending() ? "pending" : "allocated"))
                    .orElseGet(() -> SimulatorResponse.error(
                            404,
                            "there is no %s %s that Claimstream allocates".formatted(isPod ? "pod" : "claim", key),
                            "path",
                            "name an existing object"));
        });
    }

    private Optional<DeviceReport> report(SimulatedCell cell, ObjectKey key, boolean isPod) {
        return isPod
                ? DeviceReport.ofPod(cell.cell().state(), key, cell.at(), selectors)
                : DeviceReport.ofClaim(cell.cell().state(), key, cell.at(), selectors);
    }

    private SimulatorResponse read(Function<List<SimulatedCell>, SimulatorResponse> use) {
        return state.read(use)
                .orElseGet(() -> SimulatorResponse.error(
                        503,
                        "the simulator still reads the log"
                                + state.problem().map(reason -> ": " + reason).orElse(""),
                        "",
                        "try again"));
    }
}
