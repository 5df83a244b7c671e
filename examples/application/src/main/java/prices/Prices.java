package prices;

import io.rocketbufs.rbmq.client.RbmqClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A program that publishes a price through a broker and receives it. The argument is the broker's address. */
final class Prices {
    private static final Logger LOG = LoggerFactory.getLogger(Prices.class);

    private Prices() {}

    public static void main(String[] arguments) throws Exception {
        LOG.info("Connecting to {}", arguments[0]);
        CompletableFuture<String> price = new CompletableFuture<>();
        try (RbmqClient client = RbmqClient.connect(arguments[0])) {
            client.subscribe("prices/+", message -> price.complete(message.text()))
                    .ready()
                    .join();
            client.publish("prices/eur", "12.50 EUR");
            System.out.println(price.get(60, TimeUnit.SECONDS));
        }
    }
}
