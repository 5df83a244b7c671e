package io.rocketbufs.rbmq;

import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A handler that records messages as text. */
public final class Messages implements MessageHandler {
    private final List<String> texts = new ArrayList<>();

    @Override
    public synchronized void onMessage(Message message) {
        texts.add(new String(message.toBytes(), StandardCharsets.UTF_8));
    }

    /** Returns the messages so far. */
    public synchronized List<String> texts() {
        return List.copyOf(texts);
    }

    /** Returns the number of messages so far. */
    public synchronized int count() {
        return texts.size();
    }
}
