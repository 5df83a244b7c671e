package io.rocketbufs.rbmq;

import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.net.InetSocketAddress;

/** A broker that accepts publishers and subscribers but never replies to them. */
final class SilentBroker {
    private SilentBroker() {}

    /** Starts a broker and returns its address. The broker ends abruptly when the RocketBufs is closed. */
    static InetSocketAddress start(RocketBufs rocketBufs) {
        ROut out = new ROut(rocketBufs);
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            connection.setCloseCallback(failure -> {});
            Welcome welcome = Welcome.of(1, 1 << 20);
            if (connection.role() == Role.PUBLISHER) {
                new RIn(connection);
                connection.sendControlMessage(WelcomeLayout.write(welcome));
            } else {
                out.addConnection(connection);
                connection.sendControlMessage(WelcomeLayout.write(welcome.withInbox(InboxName.random())));
            }
        });
        return listener.address();
    }
}
