package io.rocketbufs.rbmq.broker;

import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import java.util.Map;

/**
 * The pages of the admin interface.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class AdminPages {
    private final Broker broker;
    private final BrokerMetrics metrics;

    AdminPages(Broker broker, BrokerMetrics metrics) {
        this.broker = broker;
        this.metrics = metrics;
    }

    /** Returns the response to a request. */
    Page page(PageRequest request) {
        boolean isReload = request.path().equals("/api/reload");
        if (request.isPost() != isReload) {
            return Page.notAllowed(isReload ? "POST" : "GET, HEAD");
        }
        return isReload ? reload(request) : page(request.path());
    }

    private Page reload(PageRequest request) {
        if (!request.origin().isEmpty()) {
            // A page of any site can send a request that changes something, although it cannot read the response.
            return Page.text(403, "web pages may not reload the configuration");
        }
        String obstacle = broker.reloadObstacle();
        if (obstacle != null) {
            return Page.text(409, obstacle);
        }
        try {
            ReloadReport report = broker.reload();
            return Page.json(Json.of(Map.of("changes", report.changes(), "notApplied", report.notApplied())));
        } catch (ReloadException e) {
            return Page.json(400, Json.of(Map.of("mistakes", e.mistakes())));
        }
    }

    private Page page(String path) {
        return switch (path) {
            case "/topics" ->
                Page.json(StateJson.ofTopics(
                        broker.topics().stream().map(AdminPages::shown).toList()));
            case "/stat" -> Page.json(StateJson.of(broker.state()));
            case "/metrics" -> Page.metrics(metrics.scrape());
            // A broker with an unresponsive worker permanently loses or blocks some of its clients.
            case "/health/live" -> Page.health("live", broker.unresponsiveWorkers());
            case "/health", "/health/ready" ->
                broker.isReady() ? Page.health("ready", broker.unresponsiveWorkers()) : Page.text(503, "not ready");
            case "/" -> Page.text(200, "/topics /stat /metrics /health /health/live /health/ready; POST: /api/reload");
            default -> Page.text(404, "there is no " + path);
        };
    }

    /** Returns a copy whose name can be shown: a client that knows the name of an inbox could reply into it. */
    private static TopicState shown(TopicState topic) {
        return new TopicState(
                InboxName.shown(topic.name()),
                topic.receivedLength(),
                topic.rule(),
                topic.publishers(),
                topic.subscribers());
    }
}
