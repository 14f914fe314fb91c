#!/bin/sh
# A program that sits down at a table by its link and plays the first legal move until the end; it needs curl and sed.
#
#     sh examples/web_bot.sh 'http://localhost:8000/play/ID#INVITE'
#
# Whatever breaks meanwhile, it comes back to its seat, and no move of its own is played twice.

link=${1:?give the link to a free seat, in quotes}
base=${link%%/play/*}
match=${link##*/play/}
invite=${match##*#}
match=${match%%#*}
token=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n') # our own, so that asking again gives the same seat
seat=0

folder=$(mktemp -d)
mkfifo "$folder/lines"
trap 'rm -r "$folder"; [ -z "$following" ] || kill "$following" 2> "$folder.gone"; rm -f "$folder.gone"' EXIT

# Sends a request; one that got lost is sent again as it was. curl ends with 22 where the server has refused.
post() {
  while :; do
    said=$(curl --silent --fail-with-body --retry 9 --max-time 20 --header "Authorization: Bearer $token" \
      --header "Content-Type: application/json" --data "$2" "$base$1")
    case $? in
      0) return 0 ;;
      22) printf '%s\n' "$said" && return 1 ;;
      *) sleep 1 ;;
    esac
  done
}

# Reads a line, which is the whole table or a move; the first figure of the position is whose turn it is.
heard() {
  case $1 in
    *'"outcome":{'*) echo "The game is over." && exit 0 ;;
    '{"kind":"table"'*) seat=$(expr "$1" : '.*"you":\[\([0-9]*\)\]') ;;
    '{"kind":"event"'*) ;;
    *) return 0 ;; # blank, to say that the server is there; or a goodbye
  esac
  turn=$(expr "$1" : '.*"position":{"position":"\([0-9]*\) ')
  [ "$turn" = "$seat" ] || return 0
  seq=$(expr "$1" : '{"kind":"[a-z]*","seq":\([0-9]*\)')
  move=$(printf '%s\n' "$1" | grep -o '"move":"[^"]*","legal":true' | sed -n '1s/"move":"\([^"]*\)".*/\1/p')
  echo "I play $move."
  post "/api/bot/matches/$match/move" "{\"move\": \"$move\", \"seq\": $seq, \"request\": \"move-$seq\"}"
}

post "/api/matches/$match/seats" "{\"invite\": \"$invite\", \"name\": \"Shell\"}" || exit 1
while :; do # a broken connection is opened again
  curl --silent --no-buffer --speed-time 20 --header "Authorization: Bearer $token" \
    "$base/api/bot/matches/$match" > "$folder/lines" &
  following=$!
  while IFS= read -r line; do
    heard "$line"
  done < "$folder/lines"
  sleep 1
done
