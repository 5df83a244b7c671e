package io.rocketbufs.rbmq;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.WriteRequest;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.LongAdder;

/**
 * A layer between the core and its transports that records the memory in which data arrives and from which it is sent.
 * Data arrives in the ranges that are granted to the peer or passed to the transport. It is sent from the ranges of
 * each accepted write.
 */
final class MemoryWatch {
    private final MemoryRanges arrivals = new MemoryRanges();
    private final LongAdder sentFromArrivals = new LongAdder();
    private final LongAdder sentFromElsewhere = new LongAdder();

    /** Returns the number of bytes that were sent from the memory in which they had arrived. */
    long sentFromArrivals() {
        return sentFromArrivals.sum();
    }

    /** Returns the number of bytes that were sent from other memory. */
    long sentFromElsewhere() {
        return sentFromElsewhere.sum();
    }

    /** Opens a RocketBufs whose transports are recorded. */
    RocketBufs open(Config config) {
        return RocketBufs.open(
                config,
                ServiceLoader.load(TransportProvider.class).stream()
                        .map(provider -> watched(provider.get().open(config)))
                        .toArray(Transport[]::new));
    }

    private Transport watched(Transport transport) {
        return proxy(Transport.class, transport, (method, arguments) -> {
            for (int i = 0; arguments != null && i < arguments.length; i++) {
                if (arguments[i] instanceof TransportAcceptor acceptor) {
                    arguments[i] = (TransportAcceptor) connection -> watched(acceptor.established(watched(connection)));
                }
            }
            return method.invoke(transport, arguments);
        });
    }

    private TransportConnection watched(TransportConnection connection) {
        return proxy(TransportConnection.class, connection, (method, arguments) -> {
            Object result = method.invoke(connection, arguments);
            if (method.getName().equals("grant")) {
                Region region = (Region) arguments[0];
                long address = region.address() + (Long) arguments[1];
                arrivals.add(address, address + (Long) arguments[2]);
            } else if (method.getName().equals("write") && (result == PostResult.SENT || result == PostResult.POSTED)) {
                sent(((WriteRequest) arguments[0]).vecs());
            }
            return result;
        });
    }

    private TransportHandler watched(TransportHandler handler) {
        return proxy(TransportHandler.class, handler, (method, arguments) -> {
            Object result = method.invoke(handler, arguments);
            if (method.getName().equals("place")) {
                Vecs into = (Vecs) arguments[2];
                for (int i = 0; i < into.count(); i++) {
                    arrivals.add(into.address(i), into.address(i) + into.length(i));
                }
            }
            return result;
        });
    }

    private void sent(Vecs vecs) {
        for (int i = 0; i < vecs.count(); i++) {
            (arrivals.contains(vecs.address(i), vecs.address(i) + vecs.length(i))
                            ? sentFromArrivals
                            : sentFromElsewhere)
                    .add(vecs.length(i));
        }
    }

    private interface Calls {
        Object call(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, T target, Calls calls) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return method.invoke(target, arguments);
            }
            try {
                return calls.call(method, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
