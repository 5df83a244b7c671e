package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.HeaderLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A client that publishes messages with any headers to one topic, which may be an inbox, and receives the replies in
 * its own inbox. It can stop accepting replies.
 */
final class RawRequester {
    private static final int BUFFER_ID = 1;
    private static final long CAPACITY = 64 * 1024;

    private final CompletableFuture<String> inbox = new CompletableFuture<>();
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final CountDownLatch listed = new CountDownLatch(1);
    private final Connection subscriber;
    private final RawClient publisher;
    private RIn in;

    // Used only on the worker.
    private boolean taking = true;
    private final Map<Integer, Integer> untaken = new HashMap<>();

    /** Creates a client that is subscribed to its own inbox and has announced a topic. */
    RawRequester(RunningBroker running, String topic) throws Exception {
        ConnectOptions options =
                ConnectOptions.as(Role.SUBSCRIBER, this::attach).withGreeting(GreetingLayout.write("raw", ""));
        subscriber = running.clients().connect(running.address(), options).get(60, TimeUnit.SECONDS);
        subscriber.sendControlMessage(TopicLayout.write(1, SlowPolicy.BLOCK, inbox()));
        listed.await();
        publisher = new RawClient(running, Role.PUBLISHER);
        publisher.createBuffer(BUFFER_ID, CAPACITY);
        publisher.announce(BUFFER_ID, CAPACITY, topic);
    }

    private void attach(Connection connection) {
        in = new RIn(connection);
        in.setControlMessageCallback(this::onControl);
        in.setDataInCallback(this::onData);
        connection.setCloseCallback(failure -> {});
    }

    private void onControl(ByteBuffer message) {
        RbmqType type = RbmqMessage.type(message);
        if (type == RbmqType.WELCOME) {
            inbox.complete(WelcomeLayout.read(message).inbox());
        } else if (type == RbmqType.TOPIC_LISTED) {
            listed.countDown();
        } else if (type == RbmqType.BUFFERS_ADDED) {
            for (int i = 0; i < BuffersLayout.count(message); i++) {
                BuffersLayout.Entry entry = BuffersLayout.entry(message, i);
                in.subscribe(entry.bufferId(), entry.capacity(), SubscribeOptions.DEFAULTS.withFlowControl(true));
            }
        }
    }

    private void onData(int bufferId, Segment transfer) {
        byte[] bytes = new byte[(int) transfer.length()];
        transfer.get(0, bytes, 0, bytes.length);
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            int length = rest.getInt() & Integer.MAX_VALUE;
            replies.add(describe(bytes, rest.position()));
            rest.position(rest.position() + length);
        }
        if (taking) {
            in.dataConsumed(bufferId, bytes.length);
        } else {
            untaken.merge(bufferId, bytes.length, Integer::sum);
        }
    }

    /** Stops accepting replies, so that their buffers become full, or resumes accepting them. */
    void take(boolean wanted) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        subscriber.execute(() -> {
            taking = wanted;
            if (wanted) {
                untaken.forEach(in::dataConsumed);
                untaken.clear();
            }
            done.complete(null);
        });
        done.get(60, TimeUnit.SECONDS);
    }

    private static String describe(byte[] bytes, int start) {
        StringBuilder text = new StringBuilder();
        int end = start + HeaderLayout.LENGTH_FIELD + HeaderLayout.length(bytes[start], bytes[start + 1]);
        for (int pair = start + HeaderLayout.LENGTH_FIELD; pair < end; pair += HeaderLayout.pairLength(bytes, pair)) {
            int keyByte = bytes[pair] & 0xff;
            int value = pair + HeaderLayout.valueOffset(keyByte);
            byte[] content = Arrays.copyOfRange(bytes, value, value + HeaderLayout.valueLength(bytes, pair));
            boolean isText = !HeaderLayout.isWellKnown(keyByte);
            String key = isText
                    ? new String(bytes, pair + HeaderLayout.KEY_OFFSET, HeaderLayout.keyLength(keyByte), UTF_8)
                    : HeaderKey.name(HeaderLayout.code(keyByte));
            text.append(key).append('=').append(isText ? new String(content, UTF_8) : Arrays.toString(content));
            text.append(' ');
        }
        return text.toString().trim();
    }

    /** Returns the name of this client's inbox. */
    String inbox() {
        return inbox.join();
    }

    /** Returns the headers of the replies that arrive in this client's inbox. */
    BlockingQueue<String> replies() {
        return replies;
    }

    /**
     * Publishes an empty message with headers. Each key in {@code pairs} is followed by its value, a string or an
     * array.
     */
    void publish(Object... pairs) {
        byte[] block = new byte[1000];
        int end = HeaderLayout.LENGTH_FIELD;
        for (int i = 0; i < pairs.length; i += 2) {
            byte[] value = pairs[i + 1] instanceof byte[] bytes ? bytes : ((String) pairs[i + 1]).getBytes(UTF_8);
            end = HeaderLayout.putKey(block, end, (String) pairs[i], value.length);
            System.arraycopy(value, 0, block, end, value.length);
            end += value.length;
        }
        if (pairs.length == 0) {
            publisher.deliver(BUFFER_ID, new byte[Integer.BYTES]);
            return;
        }
        HeaderLayout.putBlockLength(block, end);
        publisher.deliver(
                BUFFER_ID,
                ByteBuffer.allocate(Integer.BYTES + end)
                        .putInt(end | Integer.MIN_VALUE)
                        .put(block, 0, end)
                        .array());
    }
}
