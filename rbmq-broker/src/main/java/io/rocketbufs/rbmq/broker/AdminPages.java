package io.rocketbufs.rbmq.broker;

import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.broker.RateWindow.Sample;
import io.rocketbufs.web.ApiQuery;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageFiles;
import io.rocketbufs.web.PageRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The pages of the admin interface.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class AdminPages {
    private static final String RELOAD = "/api/reload";
    private static final String WEB = "/web/";

    private final Broker broker;
    private final RateWindow window;
    private final History history;
    private final Map<String, Function<PageRequest, CompletionStage<Page>>> routes = new LinkedHashMap<>();
    private final PageFiles files =
            new PageFiles(AdminPages.class, "web", "index.html", "main.js", "clients.js", "figures.js", "topics.js");
    private final Page missing;

    AdminPages(Broker broker, RateWindow window, History history, BrokerMetrics metrics) {
        this.broker = broker;
        this.window = window;
        this.history = history;
        routes.put("/api/status", api(this::status));
        routes.put("/api/topics", api(this::topics));
        routes.put("/api/clients", api(this::clients));
        routes.put("/api/history", api(this::history));
        routes.put("/metrics", request -> now(Page.metrics(metrics.scrape())));
        routes.put("/metrics/detail", request -> now(details(request)));
        routes.put("/health", request -> ready());
        // A broker with an unresponsive worker is not live: it permanently loses or blocks some of its clients.
        routes.put("/health/live", request -> broker.health("live"));
        routes.put("/health/ready", request -> ready());
        this.missing = Page.text(404, "there is no such page; there are / " + String.join(" ", routes.keySet()));
        routes.put("/", request -> now(files.get("index.html")));
    }

    /**
     * Returns the response to a request. The response to a health check may complete later, once the workers have
     * responded.
     */
    CompletionStage<Page> page(PageRequest request) {
        boolean isReload = request.path().equals(RELOAD);
        if (request.isPost() != isReload) {
            return now(Page.notAllowed(isReload ? "POST" : "GET, HEAD"));
        }
        if (isReload) {
            return now(reload(request));
        }
        if (request.path().startsWith(WEB)) {
            Page file = files.get(request.path().substring(WEB.length()));
            return now(file == null ? missing : file);
        }
        Function<PageRequest, CompletionStage<Page>> route = routes.get(request.path());
        return route == null ? now(missing) : route.apply(request);
    }

    private static CompletionStage<Page> now(Page page) {
        return CompletableFuture.completedFuture(page);
    }

    private Page reload(PageRequest request) {
        if (request.isFromWebPage()) {
            // A page of any site can send a request that changes state, even though it cannot read the response.
            return Page.text(403, "web pages may not reload the configuration");
        }
        String obstacle = broker.reloadObstacle();
        if (obstacle != null) {
            return Page.text(409, obstacle);
        }
        try {
            ReloadReport report = broker.reload();
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("changes", report.changes());
            answer.put("notApplied", report.notApplied());
            return Page.json(Json.of(answer));
        } catch (ReloadException e) {
            return Page.json(400, Json.of(Map.of("mistakes", e.mistakes())));
        }
    }

    /** Returns a handler that responds with a JSON object, or with an error if the parameters are invalid. */
    private static Function<PageRequest, CompletionStage<Page>> api(
            Function<Map<String, String>, Map<String, Object>> answer) {
        return request -> {
            try {
                return now(Page.json(Json.of(answer.apply(request.parameters()))));
            } catch (IllegalArgumentException e) {
                return now(Page.text(400, e.getMessage()));
            }
        };
    }

    private Page details(PageRequest request) {
        try {
            return Page.metrics(new TopicDetails(request.parameters()).write(broker::topics));
        } catch (IllegalArgumentException e) {
            return Page.text(400, e.getMessage());
        }
    }

    private Map<String, Object> status(Map<String, String> parameters) {
        new ApiQuery(parameters);
        return StatusJson.of(window.read(), broker.isReady());
    }

    private Map<String, Object> history(Map<String, String> parameters) {
        new ApiQuery(parameters);
        return history.json(System.nanoTime());
    }

    private Map<String, Object> topics(Map<String, String> parameters) {
        TopicList list = new TopicList(parameters);
        Sample sample = window.read();
        return list.select(sample, broker::topics);
    }

    private Map<String, Object> clients(Map<String, String> parameters) {
        ClientList list = new ClientList(parameters);
        return list.select(window.read(), broker.connections());
    }

    private CompletionStage<Page> ready() {
        return broker.isReady()
                ? broker.health("ready")
                : now(Page.text(503, "not ready: the broker is starting or closing; try again later"));
    }
}
